import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { dayAt } from '#base/days.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import { writeSimulatedHours, writeSimulatedPrices } from '#ingest/market/prices.ts'
import { writeSimulatedMarket } from '#ingest/market/simulated-market.ts'
import { makeSimulatedChain, simulatedTip } from '#ingest/simulated/chain.ts'
import { simulatedHours } from '#ingest/simulated/hourly-prices.ts'
import { simulatedPrices } from '#ingest/simulated/prices.ts'
import { replaceFile } from '#sql/files.ts'
import { type SessionLimits, withSession } from '#sql/session.ts'
import type { Progress } from '../progress.ts'

const simulatedFolder = (dataDir: string): string => path.join(dataDir, 'raw', 'simulated')

export const simulatedSource = (dataDir: string): ChainSource => ({
  kind: 'files',
  blocksFolder: path.join(simulatedFolder(dataDir), 'blocks'),
  endpoint: undefined,
  isEndpointRequired: false,
})

/**
 * Creates or extends the simulated chain, its daily and hourly prices and its market up to `now`
 * (unix seconds).
 */
export async function simulateNode(
  dataDir: string,
  limits: SessionLimits,
  seed: number,
  now: number,
  progress: Progress,
): Promise<ChainSource> {
  const folder = simulatedFolder(dataDir)
  const marker = path.join(folder, 'made.json')
  const endDay = dayAt(now * 1000)
  const wanted = JSON.stringify({ seed, tip: simulatedTip({ seed, endDay, until: now }) })
  const isCurrent =
    existsSync(path.join(folder, 'blocks')) && existsSync(marker) && readFileSync(marker, 'utf8') === wanted
  if (!isCurrent) {
    let reported = 0
    await makeSimulatedChain({
      folder,
      seed,
      endDay,
      until: now,
      size: 'demo',
      onProgress: ({ height, tipHeight }) => {
        if (height < reported + tipHeight / 100) return
        reported = height
        progress.part?.('making the simulated chain', height / tipHeight)
      },
    })
    const prices = simulatedPrices({ seed, endDay })
    await withSession(limits, async (connection) => {
      await writeSimulatedPrices(connection, dataDir, prices)
      await writeSimulatedHours(connection, dataDir, simulatedHours(seed, prices))
      await writeSimulatedMarket(connection, dataDir, { seed, endDay, prices })
    })
    replaceFile(marker, wanted)
  }
  return simulatedSource(dataDir)
}
