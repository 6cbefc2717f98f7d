import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeState, stateAfter } from '#compute/cohorts/pass-state.ts'
import { checkpointsFolder } from '#compute/data-folder.ts'
import {
  closedDaysOf,
  openScan,
  writeBlocks,
  writeOverwritten,
  writeYoungSpends,
} from '#compute/publish/chain-tables.ts'
import { writeCheckpoint } from '#compute/publish/checkpoints.ts'
import { Draft } from '#compute/publish/draft.ts'
import { passFlows } from '#compute/publish/flow-pass.ts'
import { publishPrices } from '#compute/publish/price-tables.ts'
import { readScannedChain } from '#compute/scan/scanned-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { ingestFolder, updateFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'

const folder = temporaryFolder('checkpoints')
const firstDay = Date.parse('2011-02-02') / 86_400_000
let next = 0

const newFolder = (): string => path.join(folder, `data-${next++}`)

/** The block files of a chain up to a height, on the trunk or on the branch that leaves it after `fork`. */
async function blocksOf(height: number, fork?: number): Promise<string> {
  const blocks = path.join(folder, `blocks-${height}-${fork ?? ''}`)
  if (!existsSync(blocks)) await writeChain(blocks, makeChain(height + 1, fork), height)
  return blocks
}

const inSession = <T>(work: Parameters<typeof withSession<T>>[1]): Promise<T> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp') }, work)

/** Stores closes by days counted from the first. */
const storePrices = (dataDir: string, closes: Readonly<Record<number, number>>): Promise<unknown> =>
  inSession((connection) => {
    const rows = Object.entries(closes).map(([day, close]) => ({
      ...{ date: firstDay + Number(day), open: close, high: close, low: close, close },
      ...{ volume_btc: null, volume_usd: null },
    }))
    return appendObservations(connection, dataDir, tables.prices, 'import', rows, Date.now())
  })

function somePrices(): Record<number, number> {
  const random = new Random(7)
  return Object.fromEntries(Array.from({ length: 130 }, (_, day) => [day, 0.5 + 9 * random.next()]))
}

/** Scans the blocks and passes over them as an update does, but for the tables that only follow from that. */
async function pass(dataDir: string, blocks: string) {
  await ingestFolder(dataDir, blocks)
  return inSession(async (connection) => {
    const scanned = readScannedChain(dataDir)
    if (!scanned) throw new Error('nothing was scanned')
    const draft = new Draft(connection, path.join(folder, `generation-${next++}`))
    const network = networks.regtest
    const scan = await openScan(connection, dataDir, scanned)
    const blockTable = await writeBlocks(draft, scan)
    const closed = await closedDaysOf(connection, blockTable)
    const youngSpends = await writeYoungSpends(draft, scan, closed)
    const overwritten = await writeOverwritten(draft, network, blockTable)
    const { dailyPrices } = await publishPrices(draft, dataDir, closed)
    const { flows, state, checkpoint } = await passFlows(draft, {
      ...{ dataDir, segmentFlows: scan.flows, closed, prices: dailyPrices, marketDay: undefined },
      ...{ halvingInterval: network.halvingInterval, blocks: blockTable, youngSpends, overwritten },
    })
    if (checkpoint) await writeCheckpoint(dataDir, checkpoint, path.join(draft.folder, 'flows.parquet'))
    const rows = (await connection.runAndReadAll(`FROM ${flows.from}`)).getRowsJson()
    const { columns, costs, ages } = state
    const nothing = new Float64Array()
    const known = stateAfter({ pass: { columns }, costs, ages }, closed.last - closed.first, nothing, nothing)
    return { rows, known, stretches: describeState(known), begunAfter: state.begunAfter }
  })
}

const checkpointsIn = (dataDir: string): string[] => readdirSync(checkpointsFolder(dataDir)).sort()

/** What the pass over the same blocks and prices yields in a fresh folder. */
async function fromGenesis(dataDir: string, blocks: string) {
  const fresh = newFolder()
  cpSync(path.join(dataDir, 'raw', 'market'), path.join(fresh, 'raw', 'market'), { recursive: true })
  const made = await pass(fresh, blocks)
  expect(made.begunAfter).toBeUndefined()
  return made
}

describe('a pass that begins at a checkpoint', { timeout: 600_000 }, () => {
  const base = newFolder()

  beforeAll(async () => {
    await storePrices(base, somePrices())
    await pass(base, await blocksOf(190))
    await pass(base, await blocksOf(290))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function copyOf(folder: string): string {
    const dataDir = newFolder()
    cpSync(folder, dataDir, { recursive: true })
    return dataDir
  }
  const copyOfBase = (): string => copyOf(base)

  it('yields what a pass over all days yields, bit for bit', async () => {
    expect(checkpointsIn(base).length).toBe(2)
    const dataDir = copyOfBase()
    const made = await pass(dataDir, await blocksOf(298))
    // 290 blocks at three a day close 97 days, of which ten may still change.
    expect(made.begunAfter).toBe(86)
    expect(made).toEqual({ ...(await fromGenesis(dataDir, await blocksOf(298))), begunAfter: 86 })
    expect(checkpointsIn(dataDir).length).toBe(2)
  })

  it.each([
    [1, 289, 295, 86],
    [25, 265, 295, 86],
    [60, 230, 295, 53],
    [200, 90, 295, undefined],
  ])('does so after a reorganisation of %i blocks', async (_, fork, height, begunAfter) => {
    const dataDir = copyOfBase()
    const blocks = await blocksOf(height, fork)
    const made = await pass(dataDir, blocks)
    expect(made.begunAfter).toBe(begunAfter)
    expect(made).toEqual({ ...(await fromGenesis(dataDir, blocks)), begunAfter })
  })

  it.each([
    ['after the checkpoint', 90, 86],
    ['between two', 60, 53],
    ['of the first days', 3, undefined],
  ])('does so after a restated price %s', async (_, day, begunAfter) => {
    const dataDir = copyOfBase()
    await storePrices(dataDir, { [day]: 44 })
    const blocks = await blocksOf(295)
    const made = await pass(dataDir, blocks)
    expect(made.begunAfter).toBe(begunAfter)
    expect(made).toEqual({ ...(await fromGenesis(dataDir, blocks)), begunAfter })
  })

  it('begins with the first day where a cohort has come up, here with a halving', async () => {
    const dataDir = copyOfBase()
    const blocks = await blocksOf(310)
    expect(await pass(dataDir, blocks)).toEqual(await fromGenesis(dataDir, blocks))
  })

  describe('where one is damaged', () => {
    const scanned = newFolder()
    let blocks: string
    let expected: Awaited<ReturnType<typeof pass>>

    beforeAll(async () => {
      blocks = await blocksOf(295)
      expected = await fromGenesis(base, blocks)
      cpSync(base, scanned, { recursive: true })
      await ingestFolder(scanned, blocks)
    })

    it.each(['state.bin', 'flows.parquet', 'checkpoint.json'])('passes over it: %s', async (name) => {
      for (const damage of [
        (file: string) => rmSync(file),
        (file: string) => truncateSync(file, 40),
        (file: string) => appendFileSync(file, 'x'),
        (file: string) => {
          const bytes = readFileSync(file)
          bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
          writeFileSync(file, bytes)
        },
      ]) {
        const dataDir = copyOf(scanned)
        for (const checkpoint of checkpointsIn(dataDir)) {
          const file = path.join(checkpointsFolder(dataDir), checkpoint, name)
          // A file of its own, not a second name for one that is used elsewhere.
          writeFileSync(`${file}.copy`, readFileSync(file))
          rmSync(file)
          cpSync(`${file}.copy`, file)
          damage(file)
        }
        const made = await pass(dataDir, blocks)
        expect(made).toEqual(expected)
      }
    })
  })

  it('publishes the same tables as from genesis', async () => {
    const [dataDir, fresh] = [newFolder(), newFolder()]
    for (const one of [dataDir, fresh]) await storePrices(one, somePrices())
    await updateFolder(dataDir, await blocksOf(190))
    expect(checkpointsIn(dataDir).length).toBe(1)
    await updateFolder(dataDir, await blocksOf(290))
    await updateFolder(fresh, await blocksOf(290))
    expect(await tableDifferences(dataDir, fresh)).toEqual({})
  })
})
