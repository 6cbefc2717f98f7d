import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type CoinProof, coinProofSchema } from '#contract/coin-proof.ts'
import { formatChecked, parseChecked } from '#sql/checked-json.ts'
import { replaceFile } from '#sql/files.ts'
import type { Generation } from '#sql/generation.ts'

const proofFile = (dataDir: string): string => path.join(dataDir, 'state', 'proved-coins.json')

export function writeCoinProof(dataDir: string, proof: CoinProof): void {
  mkdirSync(path.dirname(proofFile(dataDir)), { recursive: true })
  replaceFile(proofFile(dataDir), formatChecked(proof))
}

/** The newest proof by coin that was made with this data folder; undefined if there is none, or it is damaged. */
export function storedCoinProof(dataDir: string): CoinProof | undefined {
  if (!existsSync(proofFile(dataDir))) return undefined
  try {
    // The file also has its checksum.
    return coinProofSchema.strip().parse(parseChecked(readFileSync(proofFile(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

/** The newest proof by coin of a generation: made since, or known at its publication. */
export function readCoinProof(dataDir: string, { tip, proved_coins }: Generation): CoinProof | null {
  const stored = storedCoinProof(dataDir)
  // A node may be ahead of what is published; after a rollback by more than weeks the proof is of later days.
  return stored && stored.height <= tip.height + 2_016 ? stored : proved_coins
}
