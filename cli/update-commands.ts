import type { DuckDBConnection } from '@duckdb/node-api'
import type { Command } from 'commander'
import { temporaryFolder } from '#compute/data-folder.ts'
import type { Progress } from '#compute/progress.ts'
import type { Settings } from '#root/config.ts'
import { withSession } from '#sql/session.ts'
import { coinsFileJob, coinsJob } from '#state/operational-state.ts'
import { describeFinding, describeProvedCoins } from './audit-report.ts'
import { computeFlags, defineCommand, flags, sourceFlags } from './flags.ts'
import { createOutput, type Output } from './output.ts'
import type { ProcessContext } from './process-context.ts'
import { showProgress } from './progress.ts'
import { recordRun } from './recorded-run.ts'
import { runStep, toUpdateSettings } from './steps.ts'
import { publish } from './store-commands.ts'
import { refreshWallets } from './wallet-commands.ts'

interface AuditOptions {
  readonly verify?: boolean
  readonly coins?: boolean
  readonly file?: string
  readonly hash?: string
}

const allowShorterHelp = 'accept block files whose chain is shorter than before, if no node says which chain is best'

export function addUpdateCommands(program: Command, context: ProcessContext): void {
  const { environment, stdout } = context
  defineCommand(
    program
      .command('update')
      .description('do one whole pass: ingest, compute, audit, publish; for nightly jobs')
      .option('--prove', 'prove every block before anything is published, not only the newest ones; takes hours')
      .option('--force', 'compute and publish even if nothing has changed, or after "coinstrata rollback"')
      .option('--yes', 'read all blocks again if settings, lists of labels or this version need it')
      .option('--allow-shorter', allowShorterHelp),
    [...flags, ...sourceFlags, ...computeFlags],
    environment,
    async (settings, given: { prove?: boolean; force?: boolean; yes?: boolean; allowShorter?: boolean }) => {
      const { prove = false, force = false, yes: rescan = false, allowShorter = false } = given
      const options = { force, rescan, allowShorter, ...(prove ? { proveBytes: Number.POSITIVE_INFINITY } : {}) }
      const { update } = await import('#compute/update.ts')
      await runStep('update', (...step) => update(...step, options), settings, context)
      if (settings.PUBLISH_URL !== undefined) await publish(settings, context)
      await refreshWallets(settings, context)
    },
  )
  defineCommand(
    program
      .command('ingest')
      .description('do only the first step: read the chain into segments, without publishing')
      .option('--allow-shorter', allowShorterHelp),
    [...flags, ...sourceFlags],
    environment,
    async (settings, { allowShorter = false }: { allowShorter?: boolean }) => {
      const { updateSegments } = await import('#compute/update.ts')
      await runStep('ingest', (...step) => updateSegments(...step, { allowShorter }), settings, context)
    },
  )
  defineCommand(
    program.command('compute').description('do only the second step: compute, audit and publish what was ingested'),
    [...flags, ...sourceFlags, ...computeFlags],
    environment,
    async (settings) => {
      const { publishSegments } = await import('#compute/update.ts')
      await runStep('compute', publishSegments, settings, context)
    },
  )
  defineCommand(
    program
      .command('audit')
      .description('check the published data: files, amounts and the totals of the node')
      .option('--verify', 'also hash every block of the chain again: merkle roots and witness commitments; takes hours')
      .option(
        '--coins',
        'instead compare the unspent outputs of every day of creation with those that the node lists, one by one',
      )
      .option('--file <file>', 'the same with a file that "bitcoin-cli dumptxoutset PATH latest" wrote')
      .option('--hash <hash>', 'with --file: the txoutset_hash that the node reported for it'),
    [...flags, ...sourceFlags],
    environment,
    async (settings, { verify = false, coins = false, file, hash }: AuditOptions) => {
      const { auditPublished } = await import('#compute/audit/audit-published.ts')
      const output = createOutput(settings, context)
      const updateSettings = toUpdateSettings(settings, environment)
      const isOfCoins = coins || file !== undefined
      const job = file !== undefined ? coinsFileJob : coins ? coinsJob : 'audit'
      await recordRun(settings.DATA_DIR, job, output, () =>
        withProgress(settings, output, context, async (connection, progress) => {
          if (isOfCoins) {
            const { proveCoins } = await import('#compute/coins/prove-coins.ts')
            const proved = await proveCoins(connection, updateSettings, { file, hash }, progress)
            progress.done()
            stdout.write(describeProvedCoins(proved))
            return { message: null }
          }
          for await (const finding of auditPublished(connection, updateSettings, verify, progress)) {
            progress.done()
            stdout.write(describeFinding(finding))
          }
          return {}
        }),
      )
    },
  )
  defineCommand(
    program
      .command('prove')
      .description('hash the blocks that are not proved yet, newest first; continues where it stopped'),
    [...flags, ...sourceFlags],
    environment,
    async (settings) => {
      const { provePublished } = await import('#compute/audit/audit-published.ts')
      const output = createOutput(settings, context)
      await recordRun(settings.DATA_DIR, 'prove', output, async () => {
        const finding = await withProgress(settings, output, context, (connection, progress) =>
          provePublished(connection, toUpdateSettings(settings, environment), progress),
        )
        output.stdout.write(describeFinding(finding))
        return { message: finding.damaged.join('; ') || null }
      })
    },
  )
  defineCommand(
    program
      .command('follow')
      .description('publish the open day after each block of the node, until stopped; "start" does it with FOLLOW=on'),
    [...flags, ...sourceFlags],
    environment,
    async (settings) => {
      const { follow } = await import('#compute/follow.ts')
      const output = createOutput(settings, context)
      const { log } = output
      await recordRun(settings.DATA_DIR, 'follow', output, async () => ({
        message: await follow(toUpdateSettings(settings, environment), {
          published: ({ date, tip, blocks, milliseconds }) => {
            const figures = { height: tip.height, hash: tip.hash, date, blocks, milliseconds: Math.round(milliseconds) }
            log.info(figures, `${date} so far: ${blocks} blocks, the newest is ${tip.height}`)
          },
          waiting: ({ code, message, cure }, milliseconds) => {
            log.warn({ code, cure, milliseconds }, `cannot follow the node: ${message}; trying again`)
          },
        }),
      }))
    },
  )
}

/** Removes the progress display afterwards. */
async function withProgress<T>(
  { DATA_DIR: dataDir, MEMORY_LIMIT: memory }: Settings,
  { log }: Output,
  { stderr }: ProcessContext,
  work: (connection: DuckDBConnection, progress: Progress & { done(): void }) => Promise<T>,
): Promise<T> {
  const progress = showProgress(log, stderr)
  try {
    return await withSession({ temporaryFolder: temporaryFolder(dataDir), memory }, (connection) =>
      work(connection, progress),
    )
  } finally {
    progress.done()
  }
}
