import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { networks } from '#ingest/chain/networks.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { makeSimulatedChain, type SimulatedSize } from '#ingest/simulated/chain.ts'
import type { SimulatedPrice } from '#ingest/simulated/prices.ts'
import { withSession } from '#sql/session.ts'
import { Random } from '#test/support/random.ts'

/**
 * 2009-01-03, and so many days of a simulated chain that the longest windows fill and a halving
 * passes.
 */
export const firstDay = 14_247
export const chainDays = 1540

/** Prices begin late, and one day lacks its price. */
export const firstPriced = 60
export const unpriced = 71

/** Turning points of the price: it falls by more than 75 % twice, and by less once. */
const turns: readonly (readonly [day: number, price: number])[] = [
  [firstPriced, 0.05],
  [500, 30],
  [620, 3],
  [900, 900],
  [1080, 150],
  [1300, 20_000],
  [1400, 9000],
  [chainDays, 45_000],
]

/**
 * A price path around straight lines (in logarithms) between the turning points, by days counted
 * from the first.
 */
export function createPrices(): SimulatedPrice[] {
  const random = new Random(7)
  const prices: SimulatedPrice[] = []
  let open = 0.05
  for (let day = firstPriced; day < chainDays; day++) {
    const next = turns.findIndex(([turn]) => turn > day)
    const [from, low] = turns[next - 1]!
    const [to, high] = turns[next]!
    const trend = low * (high / low) ** ((day - from) / (to - from))
    const close = Number((trend * (0.93 + 0.14 * random.next())).toPrecision(7))
    prices.push({
      day,
      open,
      high: Math.max(open, close) * (1 + 0.02 * random.next()),
      low: Math.min(open, close) * (1 - 0.02 * random.next()),
      close,
      volume: Math.round(1e6 * (1 + random.next())),
    })
    open = close
  }
  return prices.filter(({ day }) => day !== unpriced)
}

/** A published generation of a simulated chain. */
export interface PricedChain {
  readonly dataDir: string
  /** In display order. */
  readonly tipHash: string
  readonly blocksFolder: string
  readonly remove: () => void
}

/** Four years of blocks with the prices above. */
export const makePricedChain = (): Promise<PricedChain> =>
  makeGeneration(
    'thin',
    firstDay + chainDays,
    createPrices().map((price) => ({ ...price, day: firstDay + price.day })),
  )

/** Days of `prices` and `endDay`, that of the last block, are unix days. */
async function makeGeneration(
  size: SimulatedSize,
  endDay: number,
  prices: readonly SimulatedPrice[],
): Promise<PricedChain> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-catalogue-'))
  const blocksFolder = path.join(folder, 'blocks')
  const dataDir = path.join(folder, 'data')
  const network = networks.simulated
  const { tipHash } = await makeSimulatedChain({ folder, seed: 5, endDay, size })
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    await writeSimulatedPrices(connection, dataDir, prices)
    const source = { kind: 'files', blocksFolder, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say: () => {}, scanned: () => {} }
    const { scanned } = await ingest({ dataDir, network, source, progress, addresses: 'all' })
    await buildGeneration(connection, dataDir, scanned, { pricing: 'hourly', addresses: 'all' })
  })
  return { dataDir, tipHash, blocksFolder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Row of a unix day in the daily tables. */
export const dayRow = (day: number): number => day - firstDay
