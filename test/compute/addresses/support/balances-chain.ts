import { rmSync } from 'node:fs'
import path from 'node:path'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { networks } from '#ingest/chain/networks.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { withSession } from '#sql/session.ts'
import { fixture } from '#test/support/fixture.ts'
import { type MadeBlock, makeChain, writeChain } from '#test/support/made-chain.ts'

/** 393 days, so that addresses rest for more than a year. */
export const blockCount = 1180
export const chain = makeChain(blockCount + 1)
const firstPriced = 15_050

/** Up and down, so that addresses change between profit and loss. */
export const close = (day: number): number | undefined =>
  day < firstPriced ? undefined : Math.round(1000 + 400 * Math.sin(day / 9))

const prices = Array.from({ length: 600 }, (_, i) => {
  const price = close(firstPriced + i)!
  return { day: firstPriced + i, open: price, high: price, low: price, close: price, volume: 1 }
})

/** Publishes a chain up to a block, with block files beside the data folder. */
export async function publish(
  dataDir: string,
  addresses: 'all' | 'sample',
  to: number,
  blocks: readonly MadeBlock[] = chain,
): Promise<void> {
  const blocksFolder = `${dataDir}-blocks`
  rmSync(blocksFolder, { recursive: true, force: true })
  await writeChain(blocksFolder, blocks, to)
  await withSession({ temporaryFolder: `${dataDir}-temporary` }, async (connection) => {
    await writeSimulatedPrices(connection, dataDir, prices)
    const source = { kind: 'files', blocksFolder, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say: () => {}, scanned: () => {} }
    const { scanned } = await ingest({ dataDir, network: networks.regtest, source, progress, addresses })
    await buildGeneration(connection, dataDir, scanned, { pricing: 'daily', addresses })
  })
}

/** The whole chain with all addresses, published at once. */
export async function balancesOfAll(): Promise<string> {
  const folder = await fixture('balances-of-all', (shared) => publish(path.join(shared, 'data'), 'all', blockCount))
  return path.join(folder, 'data')
}

export const keyedCount = 445
/** A chain of 60 keys, with coins whose key or script a spend has shown. */
export const makeKeyedChain = (): MadeBlock[] => makeChain(keyedCount + 1, undefined, 60)
