import path from 'node:path'
import { z } from 'zod'
import { type CoinProof, coinProofSchema } from '#contract/coin-proof.ts'
import type { Generation } from '#sql/generation.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'

/** Newest comparison with the node's coins. */
const comparisonSchema = z.object({
  at: z.iso.datetime(),
  /** Null if days of creation differed. */
  proof: coinProofSchema.nullable(),
})
type CoinComparison = z.infer<typeof comparisonSchema>

const comparisonFile = (dataDir: string): string => path.join(dataDir, 'state', 'compared-coins.json')

export const writeCoinComparison = (dataDir: string, comparison: CoinComparison): void =>
  writeIntactJson(comparisonFile(dataDir), comparison)

/** Undefined if coins were never compared, or the file is damaged. */
export const readCoinComparison = (dataDir: string): CoinComparison | undefined =>
  readIntactJson(comparisonFile(dataDir), comparisonSchema)

/**
 * A generation's newest proof by coin, made since or known at publication; null after a comparison
 * with differences.
 */
export function readCoinProof(dataDir: string, { tip, proved_coins }: Generation): CoinProof | null {
  const last = readCoinComparison(dataDir)
  if (last?.proof === null) return null
  // Nodes may be ahead; after a rollback by weeks, the proof is of later days.
  return last && last.proof.height <= tip.height + 2_016 ? last.proof : proved_coins
}
