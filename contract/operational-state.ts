import { z } from 'zod'

const instant = z.iso.datetime()

/** From best to worst. */
export const serviceStates = ['ok', 'degraded', 'stale', 'failed', 'data_not_ready'] as const
export type ServiceState = (typeof serviceStates)[number]

/** Public, so no advice names a path or machine. */
const problemCures = {
  nothing_published: 'Wait if "coinstrata start" runs; otherwise run "coinstrata update".',
  generation_damaged:
    'Run "coinstrata update", which publishes intact tables again, or "coinstrata pull" where data comes from a store ("today" is written after the next block). "coinstrata rollback" goes back to another generation.',
  update_failed: '"coinstrata status" and the log show the message. If it has a code, do what helps against that.',
  pull_failed:
    'Check PULL_URL, the store behind it and its credentials: "coinstrata status" shows the message. It is asked again by itself; what was pulled before is served.',
  rescan_waiting:
    'Allow it when the machine may be busy for that long: with "coinstrata update --yes", or on the status page where ACCESS=open. Until then, updates go on without the change.',
  update_overdue: 'Check that "coinstrata start" or the timer runs. "coinstrata update" runs the missing update.',
  tip_old:
    'Check that the node runs and has newer blocks ("coinstrata doctor"), that updates run, and the clock of this machine.',
  clock_ahead:
    'Set the clock of this machine (NTP). What is published by the wrong clock is corrected by the next updates.',
  clock_behind: 'Set the clock of this machine (NTP).',
  node_unreachable:
    'Start the node, and check BITCOIN_RPC_URL ("coinstrata doctor"). The open day is published again when it answers.',
  follow_failed:
    'Do what helps against the code. If another process follows the node for the same data folder, stop that one.',
  prices_old: 'Run "coinstrata fetch". If that does not help, "coinstrata sources" shows why.',
  prices_doubtful:
    'Compare "price" and "price_onchain" with another source: one of them is wrong, or payments are round in another currency than dollars.',
  market_source_silent:
    '"coinstrata sources" shows why: a changed address, an expired key, a source that no longer exists.',
  fetch_failed: '"coinstrata sources" gives the reason for each source. The data stay as they are.',
  snapshots_failed: '"coinstrata sources" gives the reason for each source. The data stay as they are.',
  proof_failed: 'The log of "coinstrata prove" names the file, offset and block. Check the disk of the node.',
  audit_failed:
    'Run "coinstrata compute", which computes and publishes every table again, then "coinstrata audit". Check the disk.',
  publish_failed:
    'Check the store of generations: "coinstrata status" shows the message. The data on this machine are not affected.',
  disk_full: 'Free some space now: not even failures can be recorded.',
  disk_low: 'Free some space, or move the data folder.',
  journal_unreadable: 'If it stays unreadable, remove "state/runs.db". It holds only the record of runs.',
  setting_misspelt:
    'Correct or remove the variable of this name where the service is started; "docs/settings.md" lists every setting.',
  limits_not_shared:
    'Check REDIS_URL and the Redis behind it. Until it answers, each machine grants its share of every limit.',
  accounts_unavailable:
    'Check DATABASE_URL and the PostgreSQL behind it ("coinstrata doctor"). Until it answers, keys and sessions that were used in the last ten minutes stay valid, and all others get 503.',
  mail_failing:
    'Check MAIL_URL, MAIL_FROM and the mail server; the log has its answer. The next mail that is sent ends this.',
} as const
export type ProblemCode = keyof typeof problemCures
export const problemCodes = Object.keys(problemCures).filter((code): code is ProblemCode => code in problemCures)

const problemSchema = z.strictObject({
  code: z.enum(problemCodes),
  state: z.enum(serviceStates).meta({ description: 'The least severe state of the service while this problem lasts' }),
  message: z.string().meta({ description: 'Names no file and no machine' }),
  cure: z.string().meta({ description: 'What the operator can do about it; names no file and no machine' }),
})
export type Problem = z.infer<typeof problemSchema>

export const toProblem = (
  code: ProblemCode,
  state: ServiceState,
  message: string,
  cure: string = problemCures[code],
): Problem => ({ code, state, message, cure })

export const problemCure = (code: ProblemCode): string => problemCures[code]

export const operationalStateSchema = z.strictObject({
  status: z.enum(serviceStates).meta({
    description:
      'ok; degraded: something other than the data is wrong, or newer data cannot be fetched from the store; stale: the newest block is older than MAX_AGE, or an update is overdue; failed: the last update failed on the machine that computes, or files of what is published are damaged, or an audit found something wrong, or nothing can be written; data_not_ready: nothing can be served',
  }),
  problems: z.array(problemSchema).meta({ description: 'Why it is not ok' }),
  last_success: instant
    .nullable()
    .meta({ description: 'End of the last run that updated the data or found it up to date' }),
  last_update: z
    .strictObject({
      started_at: instant,
      ended_at: instant.nullable().meta({ description: 'null while it runs, and if it was killed' }),
      outcome: z.enum(['running', 'ok', 'failed']),
      code: z.string().nullable().meta({ description: 'Code of the error that ended it' }),
      seconds: z.number().nullable().meta({ description: 'Duration in seconds, so far if it still runs' }),
      progress: z
        .strictObject({
          step: z.string(),
          share: z.number().nullable().meta({ description: 'Share of the step that is done; null if unknown' }),
        })
        .nullable()
        .meta({ description: 'What it does now; null unless this service runs it' }),
    })
    .nullable()
    .meta({
      description: 'The last run that updated the data or failed to; after a failure, the earlier data are served',
    }),
  next_update: instant.nullable().meta({ description: 'When the next one is due; null if none is planned' }),
})
export type OperationalState = z.infer<typeof operationalStateSchema>
