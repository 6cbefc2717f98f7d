import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { address, networks as addressNetworks } from 'bitcoinjs-lib'
import { describe, expect, it } from 'vitest'
import { createCostBasis } from '#compute/cohorts/cost-basis.ts'
import { readLabels } from '#compute/labels/label-files.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ClosedDays } from '#compute/publish/closed-days.ts'
import { Draft } from '#compute/publish/draft.ts'
import { writeLabelDays } from '#compute/publish/label-days.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { readScannedBlocks, readScannedChain } from '#compute/scan/scanned-chain.ts'
import { noKeyWords, writeIdentity } from '#ingest/chain/address-identity.ts'
import { networks } from '#ingest/chain/networks.ts'
import { p2pk } from '#ingest/chain/output-kind.ts'
import { readDailyPrices, writeSimulatedPrices } from '#ingest/market/prices.ts'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { type Replay, replay } from '#test/support/replay.ts'
import {
  blockCount,
  chain,
  first,
  fork,
  label,
  labels,
  others,
  privateFile,
  published,
  readPrivate,
  second,
  third,
  toText,
  useLabelled,
} from './support/labelled-chain.ts'

const place = useLabelled()
const { folder } = place

const firstPriced = 15_050
const close = (day: number): number => (day < firstPriced ? 0 : Math.round(100_000 + 40_000 * Math.sin(day / 9)) / 100)
const prices = Array.from({ length: 600 }, (_, i) => {
  const price = close(firstPriced + i)
  return { day: firstPriced + i, open: price, high: price, low: price, close: price, volume: 1 }
})

interface Chain {
  readonly addresses?: 'off' | 'sample'
  readonly publishLabels?: boolean
  readonly blocks?: typeof chain
  readonly to?: number
  readonly prunedFiles?: number
}

/** Scans a chain, then publishes a generation, or counts the labels alone, in a tenth of its time. */
async function run(
  dataDir: string,
  { addresses = 'off', publishLabels = true, blocks = chain, to = blockCount, prunedFiles = 0 }: Chain,
  isPublished: boolean,
): Promise<{ blocks: number; notes: readonly string[] }> {
  const blocksFolder = path.join(folder, 'blocks')
  rmSync(blocksFolder, { recursive: true, force: true })
  await writeChain(blocksFolder, blocks, to)
  for (let file = 0; file < prunedFiles; file++) {
    for (const kind of ['blk', 'rev']) rmSync(path.join(blocksFolder, `${kind}${String(file).padStart(5, '0')}.dat`))
  }
  return withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    await writeSimulatedPrices(connection, dataDir, prices)
    const source = { kind: 'files', blocksFolder, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say: () => {}, scanned: () => {} }
    const network = networks.regtest
    const labels = readLabels(dataDir, 'regtest')
    const { scanned, blocks: read } = await ingest({
      dataDir,
      network,
      source,
      progress,
      addresses,
      labels,
      allowShorter: true,
      proveBytes: 0,
    })
    if (isPublished) {
      const choices = { pricing: 'daily', addresses, labels, publishLabels } as const
      return { blocks: read, notes: (await buildGeneration(connection, dataDir, scanned, choices)).notes }
    }
    const closed = new ClosedDays(readScannedBlocks(dataDir, scanned))
    const basis = createCostBasis(await readDailyPrices(connection, dataDir), closed.first, closed.count)
    const draft = new Draft(connection, path.join(folder, 'labels-alone'))
    const notes: string[] = []
    const finish = await writeLabelDays(draft, { dataDir, scanned, closed, basis, labels, publishLabels: false }, notes)
    draft.discard()
    finish()
    return { blocks: read, notes }
  })
}

const publish = (dataDir: string, chain: Chain = {}) => run(dataDir, chain, true)
const countLabels = (dataDir: string, chain: Chain = {}) => run(dataDir, chain, false)

interface Coin {
  readonly owner: string
  readonly text: string
  readonly sats: number
  readonly day: number
}

/** The rows of `label_days` by a map of all unspent outputs of the labels. */
function replayed(labels: Readonly<Record<string, readonly string[]>>, { blocks, closedDays }: Replay) {
  const owners = new Map(Object.entries(labels).flatMap(([name, texts]) => texts.map((text) => [text, name] as const)))
  const coins = new Map<string, Coin>()
  const seen = new Set<string>()
  const rows: (readonly [string, string, ...number[]])[] = []
  let next = 0
  for (const { day } of closedDays) {
    const received = new Map<string, number>()
    const spent = new Map<string, number>()
    const destroyed = new Map<string, number>()
    const add = (to: Map<string, number>, name: string, value: number) => to.set(name, (to.get(name) ?? 0) + value)
    for (; blocks[next]?.day === day; next++) {
      const { height, block } = blocks[next]!
      for (const transaction of height === 0 ? [] : block.transactions!) {
        for (const { hash, index } of transaction.ins) {
          const key = `${Buffer.from(hash).toString('hex')}:${index}`
          const coin = coins.get(key)
          if (!coin) continue
          coins.delete(key)
          add(spent, coin.owner, coin.sats)
          add(destroyed, coin.owner, (coin.sats * (day - coin.day)) / 1e8)
        }
        const id = Buffer.from(transaction.getHash()).toString('hex')
        for (const [index, { script, value }] of transaction.outs.entries()) {
          const text = toText(script)
          const owner = owners.get(text ?? '')
          if (text === undefined || owner === undefined || value === 0n) continue
          coins.set(`${id}:${index}`, { owner, text, sats: Number(value), day })
          add(received, owner, Number(value))
          seen.add(owner)
        }
      }
    }
    for (const name of [...seen].sort()) {
      const own = [...coins.values()].filter(({ owner }) => owner === name)
      const sum = (value: (coin: Coin) => number) => own.reduce((total, coin) => total + value(coin), 0)
      rows.push([
        ...([new Date(day * 86_400_000).toISOString().slice(0, 10), name] as const),
        ...[new Set(own.map(({ text }) => text)).size, sum(({ sats }) => sats)],
        ...[received.get(name) ?? 0, spent.get(name) ?? 0],
        ...[sum((coin) => (coin.sats / 1e8) * close(coin.day)), sum((coin) => (coin.sats / 1e8) * (day - coin.day))],
        destroyed.get(name) ?? 0,
      ])
    }
  }
  return rows
}

function expectRows(actual: readonly (readonly (string | null)[])[], expected: ReturnType<typeof replayed>): void {
  expect(actual.map((row) => row.slice(0, 2))).toEqual(expected.map((row) => row.slice(0, 2)))
  for (const [i, row] of expected.entries()) {
    for (const [column, value] of row.entries()) {
      if (column < 2) continue
      const found = Number(actual[i]![column])
      // The first ones are whole numbers.
      const tolerance = column < 6 ? 0 : 1e-9 * Math.max(1, Math.abs(Number(value)))
      if (!(Math.abs(found - Number(value)) <= tolerance)) expect.fail(`${row.join(' ')}: column ${column} is ${found}`)
    }
  }
}

const replayTo = (blocks: typeof chain, to: number) => replay(blocks.slice(0, to + 1).map(({ block }) => block))
const chainReplay = replayTo(chain, blockCount)

describe('labelled addresses', () => {
  it('have the balances, flows, age and cost of a replay, after nightly runs, new addresses, new names and a reorganisation', async () => {
    const { dataDir } = place
    expect(others.length).toBeGreaterThan(0)
    const expected = replayed(labels, chainReplay)
    expect(expected.filter((row) => Number(row[5]) > 0).length).toBeGreaterThan(50)
    expect(new Set(expected.map((row) => row[2])).size).toBeGreaterThan(1)

    label(dataDir, { 'Old wallet': [first] })
    expect((await countLabels(dataDir, { to: 200 })).blocks).toBe(201)
    label(dataDir, { 'Old wallet': [first] }, { 'Old wallet': [second, first], Fund: [third] })
    const segments = globSync('raw/segments/*', { cwd: dataDir })
    // All blocks, those of known segments too.
    expect((await publish(dataDir)).blocks).toBe(blockCount + 1)
    expect(globSync('raw/segments/*', { cwd: dataDir })).toEqual(expect.arrayContaining(segments.slice(0, -1)))
    expectRows(await published(dataDir), expected)
    expect(await readPrivate(dataDir)).toEqual(await published(dataDir))

    label(dataDir)
    expect((await countLabels(dataDir)).blocks).toBe(0)
    expect(existsSync(privateFile(dataDir))).toBe(false)

    const renamed = { Exchange: [first], Fund: [second, third] }
    label(dataDir, renamed)
    expect((await countLabels(dataDir)).blocks).toBe(0)
    expectRows(await readPrivate(dataDir), replayed(renamed, chainReplay))

    const branch = makeChain(blockCount + 7, fork)
    const unused = address.fromOutputScript(Buffer.from(`0014${'00'.repeat(20)}`, 'hex'), addressNetworks.regtest)
    label(dataDir, { Exchange: [first], Nobody: [unused] })
    await countLabels(dataDir, { blocks: branch, to: blockCount + 6 })
    const rows = await readPrivate(dataDir)
    const fewer = replayed({ Exchange: [first] }, replayTo(branch, blockCount + 6))
    expectRows(
      rows.filter(([, name]) => name !== 'Nobody'),
      fewer,
    )
    const [lastDay] = rows.at(-1)!
    expect(rows.filter(([, name]) => name === 'Nobody')).toEqual([
      [lastDay, 'Nobody', '0', '0', '0', '0', '0.0', '0.0', '0.0'],
    ])
  })

  it('that were looked up stay counted when their lists change on a pruned node', async () => {
    const { dataDir } = place
    const countTo = (to: number, prunedFiles: number) => countLabels(dataDir, { to, prunedFiles })
    label(dataDir, { 'Old wallet': [first], Fund: [third] })
    await countTo(200, 0)

    label(dataDir, { 'Old wallet': [first, second], Exchange: others.slice(0, 1) })
    const grown = await countTo(260, 3)
    expect(grown.blocks).toBeLessThan(100)
    expect(grown.notes.join()).toMatch(/^2 labelled addresses are not counted: some blocks were scanned before/)
    expectRows(await readPrivate(dataDir), replayed({ 'Old wallet': [first] }, replayTo(chain, 260)))

    label(dataDir, { Fund: [third], 'Old wallet': [first] })
    const changed = await countTo(260, 3)
    expect([changed.blocks, changed.notes.join()]).toEqual([0, ''])
    expectRows(await readPrivate(dataDir), replayed({ 'Old wallet': [first], Fund: [third] }, replayTo(chain, 260)))

    // With all files, only blocks from before the new addresses are read.
    label(dataDir, { Fund: [third, second], 'Old wallet': [first, ...others.slice(0, 1)] })
    expect((await countTo(260, 0)).blocks).toBe(261 - grown.blocks)
    expectRows(
      await readPrivate(dataDir),
      replayed({ Fund: [third, second], 'Old wallet': [first, ...others.slice(0, 1)] }, replayTo(chain, 260)),
    )
  })

  it('stay out of what is published unless the setting is on, and go with their lists', async () => {
    const { dataDir } = place
    label(dataDir, labels)
    await publish(dataDir, { addresses: 'sample', publishLabels: false })
    expectRows(await readPrivate(dataDir), replayed(labels, chainReplay))
    const { folder: generation, generation: description } = currentGeneration(dataDir)!
    expect(description.tables).not.toHaveProperty('label_days')
    for (const file of globSync(path.join(generation, '*'))) {
      expect(readFileSync(file).includes('Old wallet'), file).toBe(false)
    }

    // The blocks are not scanned for this list yet.
    label(dataDir, { Exchange: others.slice(0, 1) })
    const stale = await withSession({ temporaryFolder: path.join(folder, 'temporary') }, (connection) => {
      const choices = { pricing: 'daily', labels: readLabels(dataDir, 'regtest'), publishLabels: true } as const
      return buildGeneration(connection, dataDir, readScannedChain(dataDir)!, choices)
    })
    expect(stale.notes.join()).toContain('1 labelled addresses are not counted')
    expect(stale.tables).not.toHaveProperty('label_days')
    expect(existsSync(privateFile(dataDir))).toBe(false)
  })
})

describe('label files', () => {
  const write = (content: string, name = 'own.csv'): void => {
    mkdirSync(path.join(place.dataDir, 'labels'), { recursive: true })
    writeFileSync(path.join(place.dataDir, 'labels', name), content)
  }
  const mainnet = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'

  const key =
    '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f'

  it('leave out lines that cannot be used, and name each', () => {
    const bad = [
      [`${mainnet.slice(0, -1)}b,Fund`, /^.*own.csv, line 3: ".*" is no address of mainnet$/],
      [`${first},Fund`, /line 4: ".*" is no address of mainnet$/],
      [`${mainnet},`, /line 5: name is empty$/],
      [`${mainnet},"a\u0007b"`, /line 6: name ".*" has a quotation mark or a character that cannot be printed$/],
      [`${mainnet},=1+1`, /line 7: name "=1\+1" begins with = \+ @ or -$/],
      [`${mainnet},Bank, NA`, /line 8: 3 cells where the header has 2$/],
      [`${mainnet},Exchange`, /line 9: .* is "Exchange", and "Fund" in own.csv, line 2: its coins would count twice$/],
    ] as const
    write(['address,name', `${mainnet},Fund`, ...bad.map(([line]) => line), `${key},"Bank, NA"`, ''].join('\n'))
    const { names, places, warnings } = readLabels(place.dataDir, 'mainnet')!
    expect([names, places.length]).toEqual([['Bank, NA', 'Fund'], 2])
    expect(warnings.toSorted()).toEqual(bad.map(([, message]) => expect.stringMatching(message)))
    write(`address,name,name\n${mainnet},Fund,1\n`)
    expect(() => readLabels(place.dataDir, 'mainnet')).toThrow(/unknown or repeated column "name"/)
  })

  it('may have a public key, whose forms are one address', () => {
    write(`address,name\n${key},x/y\n03${key.slice(2, 66)},x/y\n02${key.slice(2, 66)},A+B\n`)
    const { names, highs, lows, places, warnings } = readLabels(place.dataDir, 'regtest')!
    expect({ names, warnings }).toEqual({ names: ['A+B', 'x/y'], warnings: [] })
    expect(places.length).toBe(2)
    const identity = new Uint32Array(2)
    const script = Buffer.concat([Buffer.from('41', 'hex'), Buffer.from(key, 'hex'), Buffer.from('ac', 'hex')])
    writeIdentity(identity, 0, p2pk, new DataView(script.buffer, script.byteOffset), noKeyWords, 0, script.length)
    const row = places.indexOf(names.indexOf('x/y'))
    expect([highs[row], lows[row]]).toEqual([...identity])
  })

  it('may repeat an address under one name, in any of its forms', () => {
    const segwit = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    write(`address,name\n${mainnet},Fund\n${segwit},Fund\n`)
    write(`name,address\nFund,${segwit.toUpperCase()}\nFund,${mainnet}\n`, 'second.csv')
    expect(readLabels(place.dataDir, 'mainnet')).toMatchObject({ names: ['Fund'], places: Int32Array.of(0, 0) })
  })
})
