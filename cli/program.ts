import cluster from 'node:cluster'
import { Command } from 'commander'
import { version } from '#base/version.ts'
import { folderError, temporaryFolder, withDataFolder } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { addAccountCommands } from './accounts.ts'
import { describeFinding } from './audit-report.ts'
import { backUp, restore } from './backup.ts'
import type { ChartOptions } from './chart.ts'
import {
  computeFlags,
  flags,
  logFlags,
  pullFlags,
  serverFlags,
  settingsOf,
  sourceFlags,
  statusFlags,
  withFlags,
  withSettings,
  workerFlags,
} from './flags.ts'
import { addFollowCommand } from './follow.ts'
import { addGenerationCommands } from './generations.ts'
import { importFile, importFiles, importKinds } from './import.ts'
import { outputOf } from './output.ts'
import { showProgress } from './progress.ts'
import { recordRun } from './recorded-run.ts'
import { startOfDay } from './start-of-day.ts'
import { describeStatus } from './status.ts'
import { runStep, updateSettings } from './steps.ts'
import { addStoreCommands, publish } from './store.ts'
import type { Surroundings } from './surroundings.ts'

const allowShorterHelp = 'accept block files whose chain is shorter than before, if no node says which chain is best'

const afterStatus = `
With --max-age the exit code gives the state: 0 ok, 1 stale (the newest block is older, or an update is overdue), 2 the last
update failed, 3 nothing is published.`

/**
 * All commands of `coinstrata`, each with its flags and what it does; `exitWith` hears of an answer that is an exit code.
 * What only some commands need is loaded by these: the server, and what computes, fetches and examines take longer to load
 * than most other commands to run.
 */
export function createProgram(surroundings: Surroundings, exitWith: (code: number) => void): Command {
  const { environment, stdout, stderr } = surroundings
  const program = new Command('coinstrata')
    .description('Bitcoin on-chain analytics that anyone with a full node can run')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('(see --help)')

  withSettings(
    program.command('start').description('update, then serve the published data and keep it up to date'),
    [...flags, ...sourceFlags, ...computeFlags, ...serverFlags],
    environment,
    async (settings) => {
      const published = currentGeneration(settings.DATA_DIR) !== undefined
      const { serve } = await import('#root/cli/serve.ts')
      exitWith(await serve(settings, published ? 'keep up to date' : 'publish first', surroundings))
    },
  )
  const serveFlags = [...flags, ...serverFlags, ...pullFlags, ...workerFlags]
  withSettings(
    program.command('serve').description('serve the published data without changing it; another process updates it'),
    serveFlags,
    environment,
    async (settings) => {
      if (settings.WORKERS > 1 && cluster.isPrimary) {
        const { serveByWorkers } = await import('#root/cli/workers.ts')
        exitWith(await serveByWorkers(settings, surroundings))
        return
      }
      const { serve } = await import('#root/cli/serve.ts')
      await serve(settings, 'only serve', surroundings)
    },
  )

  withSettings(
    program
      .command('update')
      .description('do one whole pass: ingest, compute, audit, publish; for nightly jobs')
      .option('--prove', 'prove every block before anything is published, not only the newest ones; takes hours')
      .option('--force', 'compute and publish even if nothing has changed, or after "coinstrata rollback"')
      .option('--allow-shorter', allowShorterHelp),
    [...flags, ...sourceFlags, ...computeFlags],
    environment,
    async (settings, given: { prove?: boolean; force?: boolean; allowShorter?: boolean }) => {
      const { prove = false, force = false, allowShorter = false } = given
      const options = { force, allowShorter, ...(prove ? { proveBytes: Number.POSITIVE_INFINITY } : {}) }
      const { update } = await import('#compute/update.ts')
      await runStep('update', (...step) => update(...step, options), settings, surroundings)
      if (settings.PUBLISH_URL !== undefined) await publish(settings, surroundings)
    },
  )
  withSettings(
    program
      .command('ingest')
      .description('do only the first step: read the chain into segments, without publishing')
      .option('--allow-shorter', allowShorterHelp),
    [...flags, ...sourceFlags],
    environment,
    async (settings, { allowShorter = false }: { allowShorter?: boolean }) => {
      const { updateSegments } = await import('#compute/update.ts')
      await runStep('ingest', (...given) => updateSegments(...given, { allowShorter }), settings, surroundings)
    },
  )
  withSettings(
    program.command('compute').description('do only the second step: compute, audit and publish what was ingested'),
    [...flags, ...sourceFlags, ...computeFlags],
    environment,
    async (settings) => {
      const { publishSegments } = await import('#compute/update.ts')
      await runStep('compute', publishSegments, settings, surroundings)
    },
  )

  withSettings(
    program
      .command('audit')
      .description('check the published data: files, amounts and the totals of the node')
      .option(
        '--verify',
        'also hash every block of the chain again: merkle roots and witness commitments; takes hours',
      ),
    [...flags, ...sourceFlags],
    environment,
    async (settings, { verify = false }: { verify?: boolean }) => {
      const { auditPublished } = await import('#compute/audit/audit-published.ts')
      const { DATA_DIR, MEMORY_LIMIT: memory } = settings
      const progress = showProgress(outputOf(settings, surroundings).log, stderr)
      try {
        await withSession({ temporaryFolder: temporaryFolder(DATA_DIR), memory }, async (connection) => {
          for await (const finding of auditPublished(
            connection,
            updateSettings(settings, environment),
            verify,
            progress,
          )) {
            progress.done()
            stdout.write(describeFinding(finding))
          }
        })
      } finally {
        progress.done()
      }
    },
  )

  withSettings(
    program
      .command('prove')
      .description('hash the blocks that are not proved yet, newest first; continues where it stopped'),
    [...flags, ...sourceFlags],
    environment,
    async (settings) => {
      const { provePublished } = await import('#compute/audit/audit-published.ts')
      const { DATA_DIR, MEMORY_LIMIT: memory } = settings
      const output = outputOf(settings, surroundings)
      const progress = showProgress(output.log, stderr)
      await recordRun(DATA_DIR, 'prove', output, async () => {
        try {
          const finding = await withSession({ temporaryFolder: temporaryFolder(DATA_DIR), memory }, (connection) =>
            provePublished(connection, updateSettings(settings, environment), progress),
          )
          output.stdout.write(describeFinding(finding))
          return { message: finding.damaged.join('; ') || null }
        } finally {
          progress.done()
        }
      })
    },
  )

  addFollowCommand(program, surroundings)
  const doctorFlags = [...flags, ...sourceFlags, ...serverFlags]
  withSettings(
    program
      .command('doctor')
      .description(
        'check everything that an update and the service need, and say how to fix each problem; changes nothing',
      )
      .option('--json', 'as JSON'),
    doctorFlags,
    environment,
    async (settings, { json = false }: { json?: boolean }) => {
      const { describeFindings, examine } = await import('./doctor.ts')
      const findings = await examine(settings, environment)
      stdout.write(json ? `${JSON.stringify(findings, undefined, 2)}\n` : describeFindings(findings))
      if (findings.some(({ state }) => state === 'problem')) exitWith(1)
    },
  )
  withSettings(
    program
      .command('status')
      .description('show what is published, from which chain, how old it is and what is wrong')
      .option('--json', 'as JSON, with the fields of /health')
      .addHelpText('after', afterStatus),
    statusFlags,
    environment,
    (settings, { json = false, maxAge }: { json?: boolean; maxAge?: string }) => {
      const { text, exitCode } = describeStatus(settings, json)
      stdout.write(text)
      if (maxAge !== undefined) exitWith(exitCode)
    },
  )

  withSettings(
    program
      .command('chart')
      .description('draw a chart of what is published into a file')
      .option('--metric <id>', 'a metric; docs/metrics/README.md lists them')
      .option('--template <name>', 'a chart template; docs/charts.md shows them')
      .option('--days <days>', 'newest days to show, 7 to 10000 (default 365)')
      .option('--theme <theme>', 'light (default) or dark')
      .option('--width <pixels>', '600 to 2400 (default 1200)')
      .option('--height <pixels>', '300 to 1200 (default 600)')
      .requiredOption('-o, --output <file>', 'file to write, ending in .png or .svg'),
    flags,
    environment,
    async (settings, options: ChartOptions & { output: string }) => {
      const { writeChart } = await import('#root/cli/chart.ts')
      stdout.write(await writeChart(settings, options))
    },
  )

  const importCommand = program.command('import').description('add market data from a CSV file')
  for (const kind of importKinds) {
    const { holds, columns } = importFiles[kind]
    const importing = importCommand.command(kind).argument('<file>', `CSV with ${columns}`).description(holds)
    if (kind === 'prices')
      importing.option('--allow-jumps', 'accept closes that are five times as high or low as the one before')
    withFlags(importing, flags).action(async (file: string, options: { allowJumps?: boolean }, command: Command) => {
      const settings = settingsOf(command, flags, environment)
      const text = await withWriter(settings, (connection) =>
        importFile(connection, settings.DATA_DIR, kind, file, options),
      )
      stdout.write(text)
    })
  }

  withFlags(
    program
      .command('fetch')
      .argument('[source...]', 'ids of sources, as "coinstrata sources" lists them (default: those of MARKET_SOURCES)')
      .description('fetch market data: everything the first time, then only what is new')
      .option('--since <date>', 'fetch again from this day on (YYYY-MM-DD, UTC)', startOfDay)
      .option('--snapshots', 'only the current open interest, of which most venues keep no history; for hourly jobs')
      .option('--hourly', 'with --snapshots: also the prices of the last hours')
      .addHelpText(
        'after',
        '\nIf a source fails, the others go on; the exit code reports a failure only if all of them failed.',
      ),
    flags,
  ).action(
    async (
      sources: string[],
      { since, snapshots = false, hourly = false }: { since?: number; snapshots?: boolean; hourly?: boolean },
      command: Command,
    ) => {
      const { fetchMarket } = await import('./fetch.ts')
      const settings = settingsOf(command, flags, environment)
      const { DATA_DIR: dataDir, MARKET_SOURCES: marketSources } = settings
      const shared = settings.ACCESS === 'tiered'
      const output = outputOf(settings, surroundings)
      const asked = { sources, marketSources, shared, since, snapshots, hourly }
      await recordRun(dataDir, snapshots ? 'snapshots' : 'fetch', output, async () => ({
        message: await withWriter(settings, (connection) =>
          fetchMarket(connection, dataDir, asked, { ...surroundings, stdout: output.stdout }, output.log),
        ),
      }))
    },
  )

  withFlags(
    program
      .command('sources')
      .argument('[source...]', 'with --probe: ids of the sources to try (default: all)')
      .description('list the sources of market data: when each last answered, what is stored, what to do')
      .option(
        '--probe',
        'ask each source once, compare its answer with its documentation, store nothing; for monitoring',
      ),
    flags,
  ).action(async (sources: string[], { probe = false }: { probe?: boolean }, command: Command) => {
    if (probe) {
      const { probeMarket } = await import('./probe.ts')
      await probeMarket(sources, surroundings)
      return
    }
    const { describeSources } = await import('./sources.ts')
    stdout.write(await describeSources(settingsOf(command, flags, environment).DATA_DIR, environment))
  })

  withSettings(
    program
      .command('mcp')
      .description('serve tools for AI assistants over standard input and output')
      .option('--http', 'serve over HTTP instead, on a separate port (MCP_PORT, default 3001)'),
    logFlags,
    environment,
    async (settings, { http = false }: { http?: boolean }) => {
      const { runMcp } = await import('#root/cli/mcp.ts')
      await runMcp(settings, http, surroundings)
    },
  )

  const addPrinting = (command: Command, run: (dataDir: string, settings: Settings) => Promise<string>): void => {
    withFlags(command, flags).action(async () => {
      const settings = settingsOf(command, flags, environment)
      stdout.write(await namingFolder(settings.DATA_DIR, run(settings.DATA_DIR, settings)))
    })
  }
  addGenerationCommands(program, addPrinting, surroundings)
  addStoreCommands(program, surroundings)
  const backup = program
    .command('backup')
    .argument('<file>', 'a new file')
    .description(
      'save what cannot be computed again into one file, even while the data folder is in use: accounts, keys, market data, runs',
    )
  addPrinting(backup, async (dataDir, { DATABASE_URL }) => {
    const told = backUp(dataDir, backup.args[0] ?? '')
    return DATABASE_URL === undefined
      ? told
      : `${told}accounts and keys are in PostgreSQL (DATABASE_URL): save them with pg_dump\n`
  })
  const restoring = program
    .command('restore')
    .argument('<file>', 'a file that "coinstrata backup" made')
    .description('restore a backup into a new data folder')
  addPrinting(restoring, (dataDir) => restore(dataDir, restoring.args[0] ?? ''))
  addAccountCommands(program, environment, (command, run) => addPrinting(command, (_, settings) => run(settings)))

  return program
}

/** Makes work that fails because of the data folder say so. */
function namingFolder<T>(dataDir: string, work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw folderError(cause, dataDir)
  })
}

function withWriter<T>(settings: Settings, work: Parameters<typeof withSession<T>>[1]): Promise<T> {
  const { DATA_DIR: dataDir, MEMORY_LIMIT: memory } = settings
  return withDataFolder(dataDir, () => withSession({ temporaryFolder: temporaryFolder(dataDir), memory }, work))
}
