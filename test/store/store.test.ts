import { createHash, generateKeyPairSync } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { currentGenerationId, publishedFolder } from '#sql/generation.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { Puller } from '#store/pull.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { coinstrata } from '#test/support/program.ts'
import { currentFolder } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { trials } from '#test/support/trials.ts'
import { serveMirror } from './support/served-mirror.ts'
import { describeStore, expectWhole, filesOf, soon, storeAt, useWriters } from './support/store-cases.ts'
import { startMirror } from './support/stores.ts'

const { writer, blocks, idOf, newPlace } = await useWriters()

describeStore(false, { writer, idOf, newPlace })

it('refuses what is older than the store has, unless who publishes went back to it or says so', async () => {
  const store = await storeAt(newPlace())
  await publishToStore(store, writer(1))
  await expect(publishToStore(store, writer(0))).rejects.toMatchObject({ code: 'store_conflict' })
  const both = newPlace()
  cpSync(publishedFolder(writer(0)), publishedFolder(both), { recursive: true, verbatimSymlinks: true })
  cpSync(path.join(publishedFolder(writer(1)), idOf(1)), path.join(publishedFolder(both), idOf(1)), { recursive: true })
  expect(await publishToStore(store, both)).toMatchObject({ id: idOf(0), unchanged: false })
  const reader = newPlace()
  await new Puller(store, reader, soon).pull()
  expect(currentGenerationId(reader)).toBe(idOf(0))

  const other = await storeAt(newPlace())
  await publishToStore(other, writer(1))
  expect(await publishToStore(other, writer(0), { force: true })).toMatchObject({ id: idOf(0) })
})

it('refuses to publish data of one network over those of another', async () => {
  const place = newPlace()
  const store = await storeAt(place)
  await publishToStore(store, writer(0))
  const file = path.join(place, 'current.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"regtest"', '"mainnet"'))
  await expect(publishToStore(store, writer(1))).rejects.toMatchObject({ code: 'data_folder_mismatch' })
})

it('goes on with what an attempt left that was broken off, and replaces what is damaged', async () => {
  const place = newPlace()
  const store = await storeAt(place)
  const left = path.join(place, 'g', idOf(0))
  mkdirSync(left, { recursive: true })
  for (const name of ['blocks.parquet', 'days.parquet']) {
    copyFileSync(path.join(currentFolder(writer(0)), name), path.join(left, name))
  }
  writeFileSync(path.join(left, 'prices.parquet'), 'half')
  await publishToStore(store, writer(0))
  const reader = newPlace()
  await new Puller(store, reader, soon).pull()
  expect(filesOf(reader)).toEqual(filesOf(writer(0)))
})

it('publishes nothing of a generation of which a file is damaged', async () => {
  const damaged = newPlace()
  cpSync(writer(0), damaged, { recursive: true, verbatimSymlinks: true })
  writeFileSync(path.join(currentFolder(damaged), 'days.parquet'), 'no table')
  const place = newPlace()
  await expect(publishToStore(await storeAt(place), damaged)).rejects.toMatchObject({ code: 'invalid_file' })
  expect(existsSync(path.join(place, 'current.json'))).toBe(false)
})

it('pulls over the web from a mirror, and never serves half a generation, wherever the line breaks', async () => {
  const place = newPlace()
  const store = await storeAt(place)
  await publishToStore(store, writer(0))
  const { url, server, limit } = await startMirror(place)
  onTestFinished(() => void server.close())
  const mirror = await openStore(url)
  const reader = newPlace()
  const puller = new Puller(mirror, reader, { retries: { retries: 0, minTimeout: 1 } })
  await puller.pull()
  await publishToStore(store, writer(1))
  const lengths = Object.values(filesOf(writer(1))).map(({ length }) => length)
  const longest = Math.max(...lengths)
  const random = new Random(5)
  for (let i = 0; i < trials(8, 40); i++) {
    limit.most = random.between(0, longest - 1)
    await expect(puller.pull()).rejects.toMatchObject({ code: expect.stringMatching(/^store_(failed|damaged)$/) })
    expect(currentGenerationId(reader)).toBe(idOf(0))
    expectWhole(reader, [idOf(0)])
  }
  expect(filesOf(reader)).toEqual(filesOf(writer(0)))
  limit.most = longest
  expect((await puller.pull())?.generation.id).toBe(idOf(1))
  expect(filesOf(reader)).toEqual(filesOf(writer(1)))
  await expect(publishToStore(mirror, writer(2))).rejects.toMatchObject({ code: 'store_failed' })
})

it('continues a download where the line broke, also in another process', async () => {
  const place = newPlace()
  await publishToStore(await storeAt(place), writer(0))
  const { url, server, limit } = await startMirror(place, { sendsParts: true })
  onTestFinished(() => void server.close())
  const mirror = await openStore(url)
  const reader = newPlace()
  const lengths = Object.values(filesOf(writer(0))).map(({ length }) => length)
  limit.most = Math.ceil(Math.max(...lengths) / 3)
  let attempts = 0
  for (let pulled: unknown; pulled === undefined; attempts++) {
    pulled = await new Puller(mirror, reader, { retries: { retries: 0, minTimeout: 1 } })
      .pull()
      .catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'store_failed' })
      })
  }
  expect(attempts).toBeGreaterThan(2)
  expect(filesOf(reader)).toEqual(filesOf(writer(0)))
  // No byte of a table came twice.
  const description = filesOf(writer(0))['generation.json']!.length
  const current = readFileSync(path.join(place, 'current.json')).length
  expect(limit.sent).toBe(
    lengths.reduce((sum, length) => sum + length, 0) + (attempts - 1) * description + attempts * current,
  )
  expect(existsSync(path.join(reader, 'state', 'pull'))).toBe(false)
})

it('begins again where what came before the line broke is damaged', async () => {
  const place = newPlace()
  const store = await storeAt(place)
  await publishToStore(store, writer(0))
  const file = path.join(place, 'g', idOf(0), 'cohorts.parquet')
  const whole = readFileSync(file)
  const sha256 = createHash('sha256').update(whole).digest('hex')
  const reader = newPlace()
  const left = path.join(reader, 'state', 'pull')
  mkdirSync(left, { recursive: true })
  writeFileSync(path.join(left, `${sha256}-cohorts.parquet`), Buffer.alloc(5_000))
  const { bytes } = (await new Puller(store, reader, soon).pull())!
  expect(filesOf(reader)).toEqual(filesOf(writer(0)))
  const total = Object.values(filesOf(writer(0))).reduce((sum, { length }) => sum + length, 0)
  expect(bytes).toBe(total + whole.length - 5_000)
})

it('refuses a flipped bit, names the object, and takes it when it is right again', async () => {
  const place = newPlace()
  const store = await storeAt(place)
  await publishToStore(store, writer(0))
  const random = new Random(6)
  for (const name of ['generation.json', 'blocks.parquet', 'cohorts.parquet']) {
    const reader = newPlace()
    const puller = new Puller(store, reader, soon)
    const file = path.join(place, 'g', idOf(0), name)
    const whole = readFileSync(file)
    const flipped = Buffer.from(whole)
    const at = random.between(0, flipped.length - 1)
    flipped[at] = flipped[at]! ^ (1 << random.between(0, 7))
    writeFileSync(file, flipped)
    await expect(puller.pull()).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`g/${idOf(0)}/${name} in the store ${place}`),
    })
    expectWhole(reader, [])
    writeFileSync(file, whole)
    await puller.pull()
    expect(filesOf(reader)).toEqual(filesOf(writer(0)))
  }
})

it('refuses the description of another generation or network, and fetches none of its tables', async () => {
  const place = newPlace()
  const store = await storeAt(place)
  await publishToStore(store, writer(0))
  const [current, description] = [path.join(place, 'current.json'), path.join(place, 'g', idOf(0), 'generation.json')]
  const [rightCurrent, rightDescription] = [readFileSync(current, 'utf8'), readFileSync(description)]
  const other = readFileSync(path.join(currentFolder(writer(1)), 'generation.json'))
  const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
  const reader = newPlace()
  for (const [names, describes] of [
    [rightCurrent.replace(sha256(rightDescription), sha256(other)), other],
    [rightCurrent.replace('"regtest"', '"signet"'), rightDescription],
  ] as const) {
    expect(names).not.toBe(rightCurrent)
    writeFileSync(current, names)
    writeFileSync(description, describes)
    await expect(new Puller(store, reader, soon).pull()).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining('describes another generation'),
    })
    expectWhole(reader, [])
  }
})

describe('what was pulled and is damaged since', () => {
  it.each([
    ['a table', 'metrics_valuation.parquet'],
    ['the description', 'generation.json'],
  ])('is pulled again: %s', async (_, name) => {
    const store = await storeAt(newPlace())
    const reader = newPlace()
    await publishToStore(store, writer(0))
    const puller = new Puller(store, reader, soon)
    await puller.pull()
    const files = filesOf(reader)
    flipBit(path.join(currentFolder(reader), name))
    expect(filesOf(reader)).not.toEqual(files)
    // This one looks again after an hour, a new one at once.
    expect(await puller.look()).toBeUndefined()
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] })
    try {
      expect(await puller.look()).toBeDefined()
    } finally {
      vi.useRealTimers()
    }
    const pulled = await new Puller(store, reader, soon).pull()
    expect(pulled?.generation.id).toBe(idOf(0))
    expect(filesOf(reader)).toEqual(files)
    expectWhole(reader, [idOf(0)])
    expect(await new Puller(store, reader, soon).pull()).toBeUndefined()
  })
})

it('takes publications of one data folder, also where each is newer than the last', async () => {
  const store = await storeAt(newPlace())
  await publishToStore(store, writer(0), { publisher: 'one' })
  const refusal = { code: 'store_conflict', message: expect.stringContaining('another data folder publishes') }
  for (const publisher of ['two', undefined]) {
    await expect(publishToStore(store, writer(1), { publisher })).rejects.toMatchObject(refusal)
  }
  await publishToStore(store, writer(1), { publisher: 'one' })
  await publishToStore(store, writer(2), { publisher: 'two', force: true })
  await expect(publishToStore(store, writer(1), { publisher: 'one' })).rejects.toMatchObject(refusal)
})

it('takes nothing unsigned, or of another key, over what is signed', async () => {
  const [key, other] = [generateKeyPairSync('ed25519').privateKey, generateKeyPairSync('ed25519').privateKey]
  const store = await storeAt(newPlace())
  await publishToStore(store, writer(0), { key })
  await expect(publishToStore(store, writer(1))).rejects.toMatchObject({
    code: 'store_conflict',
    message: expect.stringContaining('is signed, and this machine has no key'),
  })
  await expect(publishToStore(store, writer(1), { key: other })).rejects.toMatchObject({
    code: 'store_conflict',
    message: expect.stringContaining('is signed with another key'),
  })
  expect(await publishToStore(store, writer(1), { key })).toMatchObject({ id: idOf(1), unchanged: false })
  expect(await publishToStore(store, writer(2), { force: true })).toMatchObject({ id: idOf(2) })
})

describe('where signatures are asked for', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const refusal = (message: string) => ({ code: 'store_damaged', message: expect.stringContaining(message) })

  it('takes only what the owner of the key has signed', async () => {
    const place = newPlace()
    const store = await storeAt(place)
    await publishToStore(store, writer(0))
    const puller = new Puller(store, newPlace(), { key: publicKey, ...soon })
    await expect(puller.pull()).rejects.toMatchObject(refusal('is not signed'))
    await publishToStore(store, writer(1), { key: generateKeyPairSync('ed25519').privateKey })
    await expect(puller.pull()).rejects.toMatchObject(refusal('not signed with the expected key'))
    await publishToStore(store, writer(2), { key: privateKey, force: true })
    expect((await puller.pull())?.generation.id).toBe(idOf(2))
  })

  it('takes no signed publication again after a later one', async () => {
    const place = newPlace()
    const store = await storeAt(place)
    const current = path.join(place, 'current.json')
    await publishToStore(store, writer(0), { key: privateKey })
    const older = readFileSync(current)
    const reader = newPlace()
    const puller = new Puller(store, reader, { key: publicKey, ...soon })
    await publishToStore(store, writer(1), { key: privateKey })
    await puller.pull()
    writeFileSync(current, older)
    await expect(puller.pull()).rejects.toMatchObject(refusal('before what was pulled last'))
    expect(currentGenerationId(reader)).toBe(idOf(1))
    // An operator who restored the store says so, once.
    await new Puller(store, reader, { key: publicKey, acceptOlder: true, ...soon }).pull()
    expect(currentGenerationId(reader)).toBe(idOf(0))
    await publishToStore(store, writer(1), { key: privateKey })
    await puller.pull()
    writeFileSync(current, older)
    // Nor does another date help, which is signed as well.
    writeFileSync(current, older.toString().replace(/"published_at": "\d{4}/, '"published_at": "2999'))
    await expect(puller.pull()).rejects.toMatchObject(refusal('not signed with the expected key'))
    writeFileSync(current, older.toString().replace(/"sequence": 1/, '"sequence": 9'))
    await expect(puller.pull()).rejects.toMatchObject(refusal('not signed with the expected key'))
  })
})

it('gives whoever joins late all generations that are kept, the current one first', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const place = newPlace()
  const store = await storeAt(place)
  for (const made of [0, 1, 2, 3]) await publishToStore(store, writer(made), { key: privateKey })
  const reader = newPlace()
  const puller = new Puller(store, reader, { key: publicKey, ...soon })
  // While older ones cannot be had, the current one is served.
  const older = path.join(place, 'g', idOf(1), 'generation.json')
  const described = readFileSync(older)
  writeFileSync(older, readFileSync(path.join(place, 'g', idOf(0), 'generation.json')))
  await expect(puller.pull()).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringContaining(idOf(1)),
  })
  expect(currentGenerationId(reader)).toBe(idOf(3))
  expectWhole(reader, [idOf(2), idOf(3)])
  writeFileSync(older, described)
  await puller.pull()
  expectWhole(reader, [idOf(1), idOf(2), idOf(3)])
  expect(await puller.look()).toBeUndefined()
  for (const made of [1, 2]) {
    const [there, here] = [writer(made), reader].map((dataDir) => path.join(publishedFolder(dataDir), idOf(made)))
    for (const name of readdirSync(there!))
      expect(
        readFileSync(path.join(here!, name), 'latin1') === readFileSync(path.join(there!, name), 'latin1'),
        name,
      ).toBe(true)
  }
  // Nobody can put another one in its place.
  const file = path.join(place, 'current.json')
  const hash = createHash('sha256').update(described).digest('hex')
  writeFileSync(file, readFileSync(file, 'utf8').replace(hash, hash.replaceAll(/./g, '0')))
  await expect(new Puller(store, newPlace(), { key: publicKey, ...soon }).pull()).rejects.toMatchObject({
    message: expect.stringContaining('not signed with the expected key'),
  })
})

it('orders publications without clocks', async () => {
  const store = await storeAt(newPlace())
  const reader = newPlace()
  const puller = new Puller(store, reader, soon)
  const hour = 3_600_000
  for (const [made, ahead] of [hour, 0, -hour].entries()) {
    await publishToStore(store, writer(made), { now: () => Date.now() + ahead })
    expect((await puller.pull())?.generation.id).toBe(idOf(made))
  }
})

describe('the program', () => {
  it('publishes after an update and pulls once, and says what it did', async () => {
    const place = newPlace()
    const url = pathToFileURL(place).href
    const dataDir = newPlace()
    const updated = await coinstrata(['update', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', dataDir], {
      environment: { PUBLISH_URL: url },
    })
    const id = currentGenerationId(dataDir)
    expect(updated, updated.stderr).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${id} is current in ${place}`),
    })
    const reader = newPlace()
    const pull = () => coinstrata(['pull', '--from', url, '--data-dir', reader])
    expect(await pull()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${id} is current`) })
    expect(await pull()).toMatchObject({ exitCode: 0, stdout: 'nothing is new\n' })
    expect(filesOf(reader)).toEqual(filesOf(dataDir))
    // What a machine computes itself is never mixed with what others publish.
    expect(await coinstrata(['pull', '--from', url, '--data-dir', dataDir])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('[data_folder_mismatch]'),
    })
  })

  it.each([
    [['publish'], {}, 'PUBLISH_URL is not set'],
    [['pull', '--from', 'ftp://example.com/tables'], {}, "it is 'ftp://example.com/tables'"],
    [['pull', '--from', 's3://user:secret@bucket'], {}, 'it contains a password'],
    [['pull', '--from', 'file:///nowhere'], { PULL_KEY_FILE: '/nonexistent/key.pem' }, 'openssl'],
  ])('says what is wrong with %j', async (args, environment, said) => {
    const { exitCode, stderr } = await coinstrata([...args, '--data-dir', newPlace()], { environment })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(said)
    expect(stderr).not.toContain('secret')
  })

  it('serves what it pulls', async () => {
    const place = newPlace()
    const store = await storeAt(place)
    await publishToStore(store, writer(0))
    const { until } = await serveMirror(place, newPlace())
    await until(idOf(0), 'ok')
    await publishToStore(store, writer(1))
    await until(idOf(1), 'ok')
  })
})
