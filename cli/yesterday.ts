import { dayAt, isoDate } from '#base/days.ts'
import { folderNetwork } from '#compute/data-folder.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { keptGenerations } from '#sql/generation.ts'

/** Networks on which a block is found every ten minutes or so. */
const steady: ReadonlySet<NetworkName> = new Set(['mainnet', 'testnet3', 'testnet4', 'signet'])

/**
 * Whether of all that was published the day before `now` alone is missing, since its last block has no successor of a
 * later day yet: half an hour after midnight that is so in one night of twenty.
 */
export function isYesterdayOpen(dataDir: string, now: number): boolean {
  const network = folderNetwork(dataDir)
  const newest = keptGenerations(dataDir).at(-1)?.opened?.generation
  return network !== undefined && steady.has(network) && newest?.last_date === isoDate(dayAt(now) - 2)
}
