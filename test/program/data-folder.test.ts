import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { networks } from '#ingest/chain/networks.ts'
import { bearer, keyOf } from '#test/api/support/test-server.ts'
import { addressOf, coinstrata, type Outcome, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedBytes, tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { startRpcServer } from '#test/support/rpc-server.ts'

const folder = temporaryFolder('data-folder')
const { blocks: part, dataDir: partData } = await publishedChain(60)
const { blocks: whole, dataDir: wholeData } = await publishedChain(120)
const priceFile = path.join(folder, 'prices.csv')
const newFolder = (name: string): string => path.join(folder, name)

const update = (dataDir: string, args: readonly string[], network = 'regtest'): Promise<Outcome> =>
  coinstrata(['update', '--network', network, '--data-dir', dataDir, ...args])

/**
 * Takes a chain into a data folder, which is all that matters where nothing of what is published is
 * looked at.
 */
async function ingested(dataDir: string, blocksFolder: string): Promise<void> {
  const args = ['ingest', '--network', 'regtest', '--data-dir', dataDir, '--blocksdir', blocksFolder]
  const { exitCode, stderr } = await coinstrata(args)
  expect(exitCode, stderr).toBe(0)
}

async function published(dataDir: string, blocksFolder: string): Promise<void> {
  const { exitCode, stderr } = await update(dataDir, ['--blocksdir', blocksFolder])
  expect(exitCode, stderr).toBe(0)
}

/** A data folder with what is published of the first part of the chain. */
const copyPartData = (dataDir: string): void => cpSync(partData, dataDir, { recursive: true, verbatimSymlinks: true })

function expectFailure({ exitCode, stderr }: Outcome, code: string, exit: number, message: RegExp): void {
  expect(stderr).toContain(`[${code}]`)
  expect(stderr).toMatch(message)
  expect(stderr).toMatch(/\nWhat to do: \w+/)
  expect(exitCode).toBe(exit)
}

beforeAll(() => writeFileSync(priceFile, 'date,open,high,low,close\n2011-02-03,1,1,1,1\n2011-02-04,1,2,1,2\n'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a data folder in use', () => {
  it('refuses a second run, but no longer once the first was killed', async () => {
    const dataDir = newFolder('in-use')
    copyPartData(dataDir)
    const before = publishedBytes(dataDir)
    // A node that takes the first question and never answers.
    const node = await startRpcServer(() => new Promise(() => {}))
    onTestFinished(node.stop)
    const rpc = ['--source', 'rpc', '--rpc-url', node.url, '--rpc-user', 'any']
    const first = startCoinstrata(['update', '--network', 'regtest', '--data-dir', dataDir, ...rpc])
    while (node.requests() === 0) await sleep(20)

    const inUse = /another run is writing to /
    expectFailure(await update(dataDir, ['--blocksdir', whole]), 'data_folder_in_use', 3, inUse)
    const importing = await coinstrata(['import', 'prices', priceFile, '--data-dir', dataDir])
    expectFailure(importing, 'data_folder_in_use', 3, inUse)
    expect((await coinstrata(['status', '--data-dir', dataDir])).exitCode).toBe(0)
    expect(publishedBytes(dataDir)).toEqual(before)

    first.process.kill('SIGKILL')
    await first.outcome
    await ingested(dataDir, whole)
  })
})

describe('a data folder of one network', () => {
  const dataDir = newFolder('regtest')
  beforeAll(() => copyPartData(dataDir))

  it('refuses another network', async () => {
    const before = publishedBytes(dataDir)
    const outcome = await update(dataDir, ['--blocksdir', whole], 'signet')
    expectFailure(outcome, 'data_folder_mismatch', 3, /holds data of regtest, not of signet/)
    expect(publishedBytes(dataDir)).toEqual(before)
  })

  it('never takes simulated data, neither where the disk of the node is gone nor where they are asked for', async () => {
    const before = publishedBytes(dataDir)
    const nothingFound = await update(dataDir, [])
    expectFailure(nothingFound, 'source_not_found', 4, /no node was found, and .* holds real data/)
    const unmounted = await update(dataDir, ['--datadir', path.join(folder, 'not-mounted')])
    expectFailure(unmounted, 'source_not_found', 4, /no block files of regtest in .*not-mounted/)
    const asked = await update(dataDir, ['--source', 'simulated'])
    expectFailure(asked, 'data_folder_mismatch', 3, /holds (real data|data of regtest)/)
    expect(publishedBytes(dataDir)).toEqual(before)
    expect(existsSync(path.join(dataDir, 'raw/simulated'))).toBe(false)
  })

  it('is not claimed by a network that was named by mistake', async () => {
    const mistaken = newFolder('mistaken')
    const outcome = await update(mistaken, ['--blocksdir', whole], 'signet')
    expectFailure(outcome, 'wrong_network', 4, /does not hold the first block of signet/)
    await ingested(mistaken, whole)
  })
})

describe('the format of a data folder', () => {
  const owner = (dataDir: string): string => path.join(dataDir, 'raw', 'network.json')
  const readOwner = (dataDir: string): unknown => JSON.parse(readFileSync(owner(dataDir), 'utf8'))
  const ours = { format: 1, readable_since: '1.0.0' }
  const { genesisHash: genesis_hash } = networks.regtest

  it('is noted by the first run that writes', async () => {
    const dataDir = newFolder('format')
    await coinstrata(['import', 'prices', priceFile, '--data-dir', dataDir])
    const id = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(readOwner(dataDir)).toEqual({ ...ours, id })
    await ingested(dataDir, whole)
    expect(readOwner(dataDir)).toEqual({ network: 'regtest', genesis_hash, ...ours, id })
  })

  it.each([0, 2])('%i of another version is refused by whatever writes, and by the service', async (format) => {
    const dataDir = newFolder(`format-${format}`)
    copyPartData(dataDir)
    // Other notes of another version need not be understood.
    writeFileSync(owner(dataDir), JSON.stringify({ network: 'moonnet', format, readable_since: '1.9.0' }))
    const readAll = (): unknown =>
      readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [name, readFileSync(path.join(parentPath, name), 'base64')])
    const before = readAll()
    const commands = [
      ['update', '--network', 'regtest', '--blocksdir', whole],
      ['ingest', '--network', 'regtest', '--blocksdir', whole],
      ...['compute', 'prove', 'follow', 'fetch', 'rollback', 'serve', 'start'].map((name) => [name]),
      ['import', 'prices', priceFile],
      ['pull', '--from', `file://${newFolder(`store-${format}`)}`],
      ['publish', '--to', `file://${newFolder(`store-${format}`)}`],
      ['accounts', 'create', 'ann@example.org'],
      ['backup', path.join(folder, 'newer.db')],
      ['restore', path.join(folder, 'newer.db')],
    ]
    for (const command of commands) {
      const outcome = await coinstrata([...command, '--data-dir', dataDir])
      expectFailure(outcome, 'data_folder_mismatch', 3, /has format \d, and this version reads format 1 only/)
      expect(outcome.stderr, command[0]).toContain('What to do: install a version that reads it, such as 1.9.0')
    }
    expect(readAll()).toEqual(before)
    const status = await coinstrata(['status', '--data-dir', dataDir])
    expect(status.stdout).toMatch(/^tip +block 60 /m)
  })
})

describe('a data folder that holds nothing but imported prices', () => {
  it('does not become simulated, and takes the chain of a node', async () => {
    const dataDir = newFolder('prices-only')
    expect((await coinstrata(['import', 'prices', priceFile, '--data-dir', dataDir])).exitCode).toBe(0)
    expectFailure(await update(dataDir, []), 'source_not_found', 4, /holds real data/)
    expectFailure(await update(dataDir, ['--source', 'simulated']), 'data_folder_mismatch', 3, /holds real data/)
    await ingested(dataDir, whole)
  })
})

describe('prices that are imported after an update', () => {
  it('are told of until the next one publishes them', async () => {
    const dataDir = newFolder('prices-later')
    const readPrices = async (): Promise<string | undefined> =>
      /^prices +(.*)$/m.exec((await coinstrata(['status', '--data-dir', dataDir])).stdout)?.[1]
    copyPartData(dataDir)
    expect(await readPrices()).toBe('none: "coinstrata fetch" gets them without a key, the next update uses them')
    expect((await coinstrata(['import', 'prices', priceFile, '--data-dir', dataDir])).exitCode).toBe(0)
    const waiting = 'imported, waiting for the next "coinstrata update" or "coinstrata compute"'
    expect(await readPrices()).toBe(waiting)
    await published(dataDir, part)
    expect(await readPrices()).toBe('import, 2011-02-03 to 2011-02-04')
  })
})

describe('a data folder that cannot be written to', () => {
  it('is named', async () => {
    const file = path.join(folder, 'a-file')
    writeFileSync(file, '')
    const outcome = await update(path.join(file, 'data'), ['--blocksdir', whole])
    expectFailure(outcome, 'data_folder_unwritable', 3, /cannot write to .*a-file/)
  })

  it('is served all the same, with the keys that it has, and tells that its update failed', async () => {
    const dataDir = newFolder('of-another-user')
    copyPartData(dataDir)
    const key = await keyOf(dataDir, 'pro')
    const state = path.join(dataDir, 'state')
    for (const name of readdirSync(state)) chmodSync(path.join(state, name), 0o444)
    chmodSync(state, 0o555)
    const accounts = await startCoinstrata(['accounts', 'list', '--data-dir', dataDir], { isBoundByModes: true })
      .outcome
    expectFailure(accounts, 'data_folder_unwritable', 3, /cannot write to .*of-another-user/)

    const options = { isBoundByModes: true, environment: { MARKET_SOURCES: 'none', LOG_FORMAT: 'json' } }
    const started = startCoinstrata(['start', '--network', 'regtest', '--port', '0', '--data-dir', dataDir], options)
    try {
      const url = await addressOf(started)
      const readStatus = async (given: string): Promise<number> =>
        (await fetch(`${url}/v1/holder/profit?limit=1`, { headers: bearer(given) })).status
      expect([await readStatus(key), await readStatus('no-key')]).toEqual([200, 401])
      await expect
        .poll(async () => (await fetch(`${url}/health`)).json(), { timeout: 120_000, interval: 500 })
        .toMatchObject({ status: 'failed', last_update: { code: 'data_folder_unwritable' } })
    } finally {
      started.process.kill('SIGTERM')
    }
    const { exitCode, stderr } = await started.outcome
    expect(exitCode, stderr).toBe(0)
    // Every line is an entry of the log, those of the update that it began as well.
    const entries = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries).toContainEqual(
      expect.objectContaining({ job: 'update', outcome: 'failed', code: 'data_folder_unwritable' }),
    )
  })
})

const smallDisk = path.join(folder, 'small-disk')
mkdirSync(smallDisk)
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'coinstrata-test', smallDisk]).status === 0

describe.skipIf(!mounted)('a full disk', () => {
  const dataDir = path.join(smallDisk, 'data')
  const filler = path.join(smallDisk, 'filler')

  beforeAll(() => copyPartData(dataDir))
  afterAll(() => {
    spawnSync('umount', [smallDisk])
  })

  it.each([0, 20, 100, 200])('with %d kB left publishes nothing and loses nothing', async (kilobytes) => {
    const before = publishedBytes(dataDir)
    const { bavail, bsize } = statfsSync(smallDisk)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - kilobytes * 1024))
    const outcome = await update(dataDir, ['--blocksdir', whole])
    rmSync(filler)
    expectFailure(outcome, 'disk_full', 3, new RegExp(`no room left on the disk to write ${dataDir}`))
    expect(publishedBytes(dataDir)).toEqual(before)
    expect(readdirSync(path.join(dataDir, 'published')).filter((name) => name.startsWith('.tmp-'))).toEqual([])
  })

  it('that has room again takes up where it was', async () => {
    await published(dataDir, whole)
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })
})
