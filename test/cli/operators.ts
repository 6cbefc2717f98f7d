import os from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'
import { withDataFolder } from '#compute/data-folder.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { simulatedSource } from '#compute/scan/simulated-node.ts'
import { networks } from '#ingest/chain/networks.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import { withSession } from '#sql/session.ts'
import { coinstrata } from '#test/support/program.ts'

export interface Operator {
  /** Days up to which it publishes, one generation after the other. */
  readonly days: readonly number[]
  readonly cores: number
  /** Close of the sixtieth day at its sources. */
  readonly close?: number
  readonly signingKeyFile?: string
}

const firstDay = Date.parse('2009-01-03') / 86_400_000

/** From the fortieth day on. */
const pricesUntil = (endDay: number, sixtieth: number) =>
  Array.from({ length: endDay - firstDay - 38 }, (_, i) => {
    const close = i === 20 ? sixtieth : 1 + 0.01 * i + 0.4 * Math.sin(i / 9)
    return { day: firstDay + 39 + i, open: close, high: close, low: close, close, volume: 1000 }
  })

/** Publishes the simulated chain into a data folder as an operator with as many cores would. */
export async function operate(dataDir: string, { days, cores, close = 5, signingKeyFile }: Operator): Promise<string> {
  const available = vi.spyOn(os, 'availableParallelism').mockReturnValue(cores)
  try {
    for (const count of days) {
      const endDay = firstDay + count
      await makeSimulatedChain({ folder: path.join(dataDir, 'raw/simulated'), seed: 1, endDay, size: 'tiny' })
      const limits = { temporaryFolder: path.join(dataDir, 'temporary'), threads: cores }
      await withDataFolder(dataDir, () =>
        withSession(limits, async (connection) => {
          await writeSimulatedPrices(connection, dataDir, pricesUntil(endDay, close))
          const progress = { say() {}, scanned() {} }
          const source = simulatedSource(dataDir)
          const { scanned } = await ingest({
            dataDir,
            network: networks.simulated,
            source,
            progress,
            addresses: 'sample',
          })
          await buildGeneration(connection, dataDir, scanned, {
            pricing: 'hourly',
            addresses: 'sample',
            ...(signingKeyFile && { signingKeyFile }),
          })
        }),
      )
    }
  } finally {
    available.mockRestore()
  }
  return dataDir
}

export const compare = (dataDir: string, other: string, ...args: string[]) =>
  coinstrata(['compare', other, '--data-dir', dataDir, ...args])
