import type { RequestHandler } from 'express'
import type { Health } from '#contract/health.ts'
import { CoinstrataError } from '#root/errors.ts'
import type { Generation } from '#sql/generation.ts'
import { readProvedBlocks } from '#sql/proved-segments.ts'
import { readRunJournal } from '#sql/run-journal.ts'
import type { Generations } from '../published/generations.ts'

/** Tells which data are served, and how old they are; 503 while there are none. */
export function health(generations: Generations): RequestHandler {
  return async (_, response) => {
    response.set('Cache-Control', 'no-store')
    const last_update = lastUpdate(generations.dataDir)
    try {
      const { generation } = await generations.read(async (published) => published)
      const { id, tip, proved } = generation
      response.json({
        status: 'ok',
        generation: id,
        tip_height: tip.height,
        tip_time: tip.time,
        age_seconds: Math.round((Date.now() - Date.parse(tip.time)) / 1000),
        // Proving goes on after publication.
        proved: readProvedBlocks(generations.dataDir, tip.height + 1) ?? proved,
        published: publicationOf(generation),
        last_update,
      } satisfies Health)
    } catch (error) {
      if (!(error instanceof CoinstrataError) || error.code !== 'data_not_ready') throw error
      response.status(503).json({
        status: 'data_not_ready',
        generation: null,
        tip_height: null,
        tip_time: null,
        age_seconds: null,
        proved: null,
        published: null,
        last_update,
      } satisfies Health)
    }
  }
}

/** What /health and the status page tell of a generation. */
export function publicationOf({
  created_at,
  network,
  simulated,
  first_date,
  last_date,
  tip,
  audit,
  prices,
}: Generation) {
  const { supply_sats, utxo_count } = tip
  // What differs from the node is never published.
  const equal_to_node = audit.node !== null
  const pricing = prices?.pricing ?? null
  return { at: created_at, network, simulated, first_date, last_date, supply_sats, utxo_count, equal_to_node, pricing }
}

/** Its message stays with the operator, since it may name files and machines. */
function lastUpdate(dataDir: string): Health['last_update'] {
  const run = readRunJournal(dataDir, (journal) => journal.newest(1))?.find(({ job }) => job === 'update')
  if (!run) return null
  const time = (instant: number): string => new Date(instant).toISOString()
  return {
    started_at: time(run.startedAt),
    ended_at: run.endedAt === null ? null : time(run.endedAt),
    outcome: run.outcome,
  }
}
