import { z } from 'zod'

const instant = z.iso.datetime()

/** From best to worst. */
export const serviceStates = ['ok', 'degraded', 'stale', 'failed', 'data_not_ready'] as const
export type ServiceState = (typeof serviceStates)[number]

export const problemCodes = [
  'nothing_published',
  'generation_damaged',
  'update_failed',
  'update_overdue',
  'tip_old',
  'clock_behind',
  'prices_old',
  'market_source_silent',
  'fetch_failed',
  'snapshots_failed',
  'proof_failed',
  'publish_failed',
  'disk_full',
  'disk_low',
  'journal_unreadable',
  'limits_not_shared',
  'accounts_unavailable',
] as const

const problemSchema = z.strictObject({
  code: z.enum(problemCodes),
  state: z.enum(serviceStates).meta({ description: 'What it makes of the state at the least' }),
  message: z.string().meta({ description: 'Names no file and no machine' }),
})
export type Problem = z.infer<typeof problemSchema>

/** Health of a service and its data, shown by `coinstrata status`, `/health`, `/v1/status`, the status page and Prometheus. */
export const operationalStateSchema = z.strictObject({
  status: z.enum(serviceStates).meta({
    description:
      'ok; degraded: something other than the data is wrong; stale: the newest block is older than MAX_AGE, or an update is overdue; failed: the last update failed, or files of what is published are damaged, or nothing can be written; data_not_ready: nothing can be served',
  }),
  problems: z.array(problemSchema).meta({ description: 'Why it is not ok' }),
  last_success: instant
    .nullable()
    .meta({ description: 'End of the last run that updated the data or found it up to date' }),
  last_update: z
    .strictObject({
      started_at: instant,
      ended_at: instant.nullable().meta({ description: 'null while it runs, and where it was killed' }),
      outcome: z.enum(['running', 'ok', 'failed']),
      code: z.string().nullable().meta({ description: 'Of the error that ended it' }),
      seconds: z.number().nullable().meta({ description: 'How long it took, or has taken so far' }),
    })
    .nullable()
    .meta({
      description: 'The last run that was to renew the data; after a failed one the data before it are served',
    }),
  next_update: instant.nullable().meta({ description: 'When the next one is due; null if none is planned' }),
})
export type OperationalState = z.infer<typeof operationalStateSchema>
