import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkpointsFolder } from '#compute/data-folder.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { networks } from '#ingest/chain/networks.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { readIntactJson } from '#sql/intact-file.ts'
import { withSession } from '#sql/session.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { columnsOf, publishedTable, rowsOf } from '#test/support/published.ts'
import { replay } from '#test/support/replay.ts'
import { replayedBalances } from '#test/support/replayed-addresses.ts'

const folder = temporaryFolder('balances')
afterAll(() => rmSync(folder, { recursive: true }))

const blocksFolder = path.join(folder, 'blocks')
const blockCount = 1480
const chain = makeChain(blockCount + 1)
const firstPriced = 15_050

/** Up and down, so that addresses change between profit and loss. */
const close = (day: number): number | undefined =>
  day < firstPriced ? undefined : Math.round(1000 + 400 * Math.sin(day / 9))

const prices = Array.from({ length: 600 }, (_, i) => {
  const price = close(firstPriced + i)!
  return { day: firstPriced + i, open: price, high: price, low: price, close: price, volume: 1 }
})

async function publish(dataDir: string, addresses: 'all' | 'sample', to: number, blocks = chain): Promise<void> {
  rmSync(blocksFolder, { recursive: true, force: true })
  await writeChain(blocksFolder, blocks, to)
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    await writeSimulatedPrices(connection, dataDir, prices)
    const source = { kind: 'files', blocksFolder, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say: () => {}, scanned: () => {} }
    const { scanned } = await ingest({ dataDir, network: networks.regtest, source, progress, addresses })
    await buildGeneration(connection, dataDir, scanned, { pricing: 'daily', addresses })
  })
}

const balances = (dataDir: string) =>
  rowsOf(`FROM ${publishedTable(dataDir, 'address_balances')} ORDER BY date, measure`)

/**
 * A chain continues from a checkpoint within one halving epoch, 150 blocks here, because a new one
 * adds a cohort.
 */
function expectContinued(dataDir: string): void {
  const inRow = readdirSync(checkpointsFolder(dataDir)).map((name) => {
    const manifest = path.join(checkpointsFolder(dataDir), name, 'checkpoint.json')
    return readIntactJson(manifest, z.object({ inRow: z.int() }))!.inRow
  })
  expect(Math.max(...inRow)).toBe(2)
}

describe('balances of all addresses', () => {
  const dataDir = path.join(folder, 'all')

  beforeAll(() => publish(dataDir, 'all', blockCount))

  it('equal a replay of every output, for every measure and day', async () => {
    const replayed = replay(chain.slice(0, blockCount + 1).map(({ block }) => block))
    const expected = replayedBalances(replayed, close, (day) => close(day) ?? 0)
    const names = await rowsOf(
      `SELECT DISTINCT measure FROM ${publishedTable(dataDir, 'address_balances')} ORDER BY ALL`,
    )
    expect(names.length).toBeGreaterThan(60)
    const seen = new Set<string>()
    for (const [name] of names) {
      const [values, low, high] = await columnsOf(
        `SELECT value, low, high FROM ${publishedTable(dataDir, 'address_balances')} WHERE measure = '${name}' ORDER BY date`,
      )
      expect(values).toHaveLength(expected.length)
      expect(low).toEqual(values)
      expect(high).toEqual(values)
      // Bins of balances are a twelfth wide.
      const tolerance = name === 'median' ? 0.1 : ['gini', 'top_100'].includes(name!) ? 0.05 : 1e-9
      for (const [day, measures] of expected.entries()) {
        const wanted = measures?.get(name!)
        if (wanted === undefined) continue
        seen.add(name!)
        const value = values![day]!
        const isRight =
          wanted === null ? value === null : Math.abs(value - wanted) <= tolerance * Math.max(1e-9, Math.abs(wanted))
        if (!isRight) expect.fail(`${name} on day ${day}: ${value}, not ${wanted}`)
      }
    }
    expect(seen).toEqual(new Set(expected.flatMap((measures) => [...(measures?.keys() ?? [])])))
    for (const name of [
      'over_10',
      'over_10k_usd',
      'type_p2wsh',
      'in_profit',
      'in_loss',
      'accumulating',
      'operationally_exposed',
    ]) {
      expect(Math.max(...expected.map((measures) => measures!.get(name)!)), name).toBeGreaterThan(0)
    }
  })

  it('are the same after updates that continue from a checkpoint', async () => {
    const grown = path.join(folder, 'grown')
    for (const height of [500, 1355, blockCount]) await publish(grown, 'all', height)
    expectContinued(grown)
    expect(await balances(grown)).toEqual(await balances(dataDir))
  })

  it('are the same from a sample, to the last digit of each bound', async () => {
    const [grown, fresh] = [path.join(folder, 'grown-sample'), path.join(folder, 'sample')]
    for (const height of [500, 1355, blockCount]) await publish(grown, 'sample', height)
    expectContinued(grown)
    await publish(fresh, 'sample', blockCount)
    expect(await balances(grown)).toEqual(await balances(fresh))
  })

  it('are those of all addresses after the setting has changed', async () => {
    const changed = path.join(folder, 'sample')
    await publish(changed, 'all', blockCount)
    expect(await balances(changed)).toEqual(await balances(dataDir))
  })
})

describe('coins whose key or script a spend has shown', () => {
  const keyedCount = 445
  const keyed = makeChain(keyedCount + 1, undefined, 60)
  const dataDir = path.join(folder, 'keyed')

  it('are by key those of a replay', async () => {
    await publish(dataDir, 'all', keyedCount, keyed)
    const replayed = replay(keyed.slice(0, keyedCount + 1).map(({ block }) => block))
    const expected = replayedBalances(replayed, close, (day) => close(day) ?? 0)
    for (const name of balanceMeasures.exposure.slice(0, 2)) {
      const [values] = await columnsOf(
        `SELECT value FROM ${publishedTable(dataDir, 'address_balances')} WHERE measure = '${name}' ORDER BY date`,
      )
      expect(values).toHaveLength(expected.length)
      const wanted = expected.map((measures) => measures!.get(name)!)
      expect(Math.max(...wanted)).toBeGreaterThan(20)
      for (const [day, value] of wanted.entries()) {
        if (Math.abs(values![day]! - value) > 1e-9 * value)
          expect.fail(`${name} on day ${day}: ${values![day]}, not ${value}`)
      }
    }
  })

  it('are the same from a sample after updates that continue from a checkpoint', async () => {
    const [grown, fresh] = [path.join(folder, 'keyed-grown'), path.join(folder, 'keyed-sample')]
    for (const height of [305, keyedCount]) await publish(grown, 'sample', height, keyed)
    expectContinued(grown)
    await publish(fresh, 'sample', keyedCount, keyed)
    expect(await balances(grown)).toEqual(await balances(fresh))
    const [row] = await rowsOf(
      `SELECT max(low) > 0, max(high) > max(low) FROM ${publishedTable(fresh, 'address_balances')} WHERE measure = 'operationally_exposed'`,
    )
    expect(row).toEqual(['true', 'true'])
  })
})
