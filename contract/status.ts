import { z } from 'zod'
import { coinProofSchema } from './coin-proof.ts'
import { publishedHealth } from './health.ts'
import { operationalStateSchema } from './operational-state.ts'

const instant = z.iso.datetime()
const proved = z
  .strictObject({ blocks: z.int(), of: z.int() })
  .nullable()
  .meta({ description: 'Number of blocks of its chain whose hashes were verified' })

/** Messages may name files and machines, so they are for operators. */
const message = z.string().nullable().meta({ description: 'Only with ACCESS=open; elsewhere null' })

const generation = publishedHealth.extend({
  id: z.string(),
  is_current: z.boolean(),
  was_left: z.boolean().meta({ description: 'Newer than the current one, which an operator restored' }),
  source: z.string().meta({ description: 'Where the chain was read from' }),
  tip_height: z.int(),
  tip_hash: z.string(),
  tip_time: instant,
  proved,
  proved_coins: coinProofSchema.nullable(),
  audit: z.strictObject({
    days: z.int().meta({ description: 'Days whose supply and UTXO count from flows equal those from the blocks' }),
    blocks: z.int().meta({ description: 'Blocks whose issuance was checked against the subsidy schedule' }),
  }),
  tables: z.int(),
  bytes: z.int().meta({ description: 'Size of all its tables' }),
  notes: z.array(z.string()).meta({ description: 'Only with ACCESS=open; elsewhere empty' }),
})

const run = z.strictObject({
  job: z.string(),
  started_at: instant,
  ended_at: instant.nullable().meta({ description: 'null while it runs, and if it was killed' }),
  outcome: z.enum(['running', 'ok', 'failed']),
  code: z.string().nullable().meta({ description: 'Code of the error that ended it' }),
  message,
})

const market = z.strictObject({
  table: z.string(),
  first_date: z.iso.date(),
  last_date: z.iso.date().meta({ description: 'Last day with a row' }),
  sources: z.array(z.string()).meta({ description: 'Sources of the rows of that day' }),
})

const source = z.strictObject({
  source: z.string(),
  outcome: z.enum(['ok', 'failed', 'blocked', 'paused', 'not_configured']),
  asked_at: instant,
  answered_at: instant.nullable().meta({ description: 'Last time it answered' }),
  snapshot_at: instant.nullable().meta({ description: 'Last time its hourly snapshot was taken' }),
  message,
})

/** The output of `coinstrata status`, `generations` and `sources`. */
export const statusSchema = z
  .strictObject({
    state: operationalStateSchema,
    machine: z
      .strictObject({
        free_bytes: z.number().nullable().meta({ description: 'Free space on the disk of the data folder' }),
        resident_bytes: z.number().meta({ description: 'Memory that the service takes' }),
        available_bytes: z.number().meta({ description: 'Memory that is still available to the service' }),
        charts_waiting: z.int().meta({ description: 'Charts waiting to be drawn' }),
      })
      .nullable()
      .meta({ description: 'Only with ACCESS=open; elsewhere null' }),
    at: instant.meta({ description: 'Time of the answer' }),
    generations: z.array(generation).meta({ description: 'All retained generations, newest first' }),
    damaged: z.array(z.string()).meta({ description: 'Ids of retained generations that cannot be opened' }),
    runs: z.array(run).meta({ description: 'The newest runs of each job, newest first' }),
    due: z.array(z.strictObject({ job: z.string(), at: instant })).meta({ description: 'When jobs run next' }),
    market: z.array(market).meta({ description: 'Published market data and how far they reach' }),
    sources: z.array(source).meta({ description: 'Sources of market data that were asked' }),
  })
  .meta({ id: 'ServiceStatus' })

export type Status = z.infer<typeof statusSchema>
