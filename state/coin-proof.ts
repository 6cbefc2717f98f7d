import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { type CoinProof, coinProofSchema } from '#contract/coin-proof.ts'
import { formatChecked, parseChecked } from '#sql/checked-json.ts'
import { replaceFile } from '#sql/files.ts'
import type { Generation } from '#sql/generation.ts'

/** The newest comparison of coins with those of the node. The file also has its checksum. */
const comparisonSchema = z.object({
  at: z.iso.datetime(),
  /** Null if days of creation differed. */
  proof: coinProofSchema.nullable(),
})
type CoinComparison = z.infer<typeof comparisonSchema>

const comparisonFile = (dataDir: string): string => path.join(dataDir, 'state', 'compared-coins.json')

export function writeCoinComparison(dataDir: string, comparison: CoinComparison): void {
  mkdirSync(path.dirname(comparisonFile(dataDir)), { recursive: true })
  replaceFile(comparisonFile(dataDir), formatChecked(comparison))
}

/** Undefined if coins were never compared with this data folder, or the file is damaged. */
export function readCoinComparison(dataDir: string): CoinComparison | undefined {
  if (!existsSync(comparisonFile(dataDir))) return undefined
  try {
    return comparisonSchema.parse(parseChecked(readFileSync(comparisonFile(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * The newest proof by coin of a generation: made since, or known at its publication; null if the
 * last comparison found differences.
 */
export function readCoinProof(dataDir: string, { tip, proved_coins }: Generation): CoinProof | null {
  const last = readCoinComparison(dataDir)
  if (last?.proof === null) return null
  // A node may be ahead of what is published; after a rollback by more than weeks the proof is of
  // later days.
  return last && last.proof.height <= tip.height + 2_016 ? last.proof : proved_coins
}
