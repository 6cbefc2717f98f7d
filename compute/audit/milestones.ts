import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { type Network, subsidySats } from '#ingest/chain/networks.ts'
import type { ReachedMilestone } from '#sql/generation.ts'
import { bindInputs, type Relation } from '#sql/relation.ts'
import { auditFailed } from './audit-failed.ts'

const milestoneSchema = z.strictObject({
  height: z.int(),
  /** In display order. */
  hash: z.string().length(64),
  /** Up to this block, including coinbases. */
  transactions: z.int().optional(),
  unspent_outputs: z.int().optional(),
  /** Unclaimed part of this block's subsidy. */
  unclaimed_sats: z.int().optional(),
  /** Lost up to this block to overwritten coinbases. */
  overwritten_sats: z.int().optional(),
  source: z.string(),
})

/** Figures that others published about a block or the chain up to it. */
export type Milestone = z.infer<typeof milestoneSchema>

const mainnetFile = path.join(import.meta.dirname, '../../data/reference/milestones.json')

export const readMilestones = ({ name }: Network): Milestone[] =>
  name === 'mainnet' ? z.array(milestoneSchema).parse(JSON.parse(readFileSync(mainnetFile, 'utf8'))) : []

/**
 * Compares the milestones on the chain with the tables, and returns them. Throws `audit_failed` at
 * a difference.
 */
export async function compareMilestones(
  connection: DuckDBConnection,
  network: Network,
  milestones: readonly Milestone[] = readMilestones(network),
  from: readonly Relation[] = [],
): Promise<ReachedMilestone[]> {
  const reached: ReachedMilestone[] = []
  for (const { source, ...milestone } of milestones) {
    const found = await sumsAt(connection, from, network, milestone.height)
    if (found.hash !== milestone.hash) continue
    for (const [name, known] of Object.entries(milestone)) {
      const ours = found[name]
      if (ours === known) continue
      throw auditFailed(`at block ${milestone.height} ${name} is ${known} by ${source}, and ${ours} in our tables`)
    }
    reached.push(milestone)
  }
  return reached
}

/** Returns our figures under a milestone's names; no `hash` if the chain is shorter. */
async function sumsAt(
  connection: DuckDBConnection,
  from: readonly Relation[],
  network: Network,
  height: number,
): Promise<Readonly<Record<string, unknown>>> {
  const reader = await connection.runAndReadAll(
    bindInputs(
      `WITH lost AS (
         SELECT coalesce(sum(sats), 0)::DOUBLE AS sats, coalesce(sum(outputs), 0)::DOUBLE AS outputs
         FROM overwritten WHERE date <= (SELECT date FROM blocks WHERE height = $height)
       )
       SELECT any_value(hash) FILTER (height = $height) AS hash,
         sum(transactions)::DOUBLE AS transactions,
         (sum(outputs - unspendable_outputs - inputs))::DOUBLE - (SELECT outputs FROM lost) AS unspent_outputs,
         $subsidy - (any_value(issuance_sats) FILTER (height = $height))::DOUBLE AS unclaimed_sats,
         (SELECT sats FROM lost) AS overwritten_sats
       FROM blocks WHERE height <= $height`,
      { from },
    ),
    { height, subsidy: subsidySats(network, height) },
  )
  return { ...reader.getRowObjectsJS()[0], height }
}
