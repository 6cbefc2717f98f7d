#!/usr/bin/env node
import os from 'node:os'
import { Command, CommanderError } from 'commander'
import { auditPublished } from '#compute/audit/audit-published.ts'
import { folderError, temporaryFolder, withDataFolder } from '#compute/data-folder.ts'
import type { Progress } from '#compute/progress.ts'
import { publishSegments, type UpdateReport, update, updateSegments } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { addAccountCommands } from '#root/cli/accounts.ts'
import { describeFinding } from '#root/cli/audit-report.ts'
import type { ChartOptions } from '#root/cli/chart.ts'
import { fetchMarket, startOfDay } from '#root/cli/fetch.ts'
import { importFile, importFiles, importKinds } from '#root/cli/import.ts'
import { showProgress } from '#root/cli/progress.ts'
import { recordRun } from '#root/cli/recorded-run.ts'
import { describeSources } from '#root/cli/sources.ts'
import { describeStatus } from '#root/cli/status.ts'
import { summarize } from '#root/cli/summary.ts'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { defaultNodeDatadir, readSettings, type SettingName, type Settings } from './config.ts'
import { CoinstrataError } from './errors.ts'
import { createLogger } from './log.ts'
import { version } from './version.ts'

/** Flags by the setting that each overrides. */
type Flags = ReadonlyArray<readonly [flag: string, setting: SettingName, help: string]>
const logFlags: Flags = [['--log-level <level>', 'LOG_LEVEL', 'trace, debug, info, warn, error or silent']]
const flags: Flags = [
  ['--data-dir <folder>', 'DATA_DIR', 'folder for everything that Coinstrata writes (default ./data)'],
  ...logFlags,
]
const sourceFlags: Flags = [
  ['--datadir <folder>', 'BITCOIN_DATADIR', "the node's data directory (default ~/.bitcoin)"],
  ['--blocksdir <folder>', 'BITCOIN_BLOCKSDIR', 'folder of the block files, where they lie apart'],
  ['--network <name>', 'BITCOIN_NETWORK', 'mainnet, testnet4, signet or regtest'],
  ['--source <kind>', 'BITCOIN_SOURCE', 'auto, files, rpc or simulated'],
  ['--rpc-url <url>', 'BITCOIN_RPC_URL', "http://host:port of the node's RPC"],
  ['--rpc-user <name>', 'BITCOIN_RPC_USER', 'user of the RPC; the password is read from BITCOIN_RPC_PASSWORD'],
]

const serverFlags: Flags = [
  ['--host <address>', 'HOST', 'address on which the API listens (default 127.0.0.1)'],
  ['--port <port>', 'PORT', 'port of the API (default 3000); 0 takes any free one'],
]

type Step = (settings: UpdateSettings, progress: Progress) => Promise<UpdateReport>

const program = new Command('coinstrata')
  .description('Bitcoin on-chain analytics that anyone with a full node can run')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(see --help)')

withFlags(program.command('start').description('update, then serve what was published, and keep it up to date'), [
  ...flags,
  ...sourceFlags,
  ...serverFlags,
]).action(async (_, command: Command) => {
  const settings = settingsOf(command, [...flags, ...sourceFlags, ...serverFlags])
  const published = currentGeneration(settings.DATA_DIR) !== undefined
  // What is there is served while a newer generation is made; the first one is waited for.
  if (!published) await runStep('update', update, settings)
  // Loaded here, because the server takes longer to load than any other command to run.
  const { serve } = await import('#root/cli/serve.ts')
  await namingFolder(settings.DATA_DIR, serve(settings, !published))
})
addStep('update', 'one whole pass: ingest, compute, audit, publish; for nightly runs', update)
addStep('ingest', 'first step alone: read the chain into segments; publishes nothing', updateSegments)
addStep('compute', 'second step alone: compute, audit and publish what was ingested', publishSegments)

withFlags(
  program
    .command('audit')
    .description('check what is published: files, amounts, and the sums of the node')
    .option('--verify', 'also hash every block of the chain again: merkle roots and witness commitments; takes hours'),
  [...flags, ...sourceFlags],
).action(async ({ verify = false }: { verify?: boolean }, command: Command) => {
  const settings = settingsOf(command, [...flags, ...sourceFlags])
  const { DATA_DIR, MEMORY_LIMIT: memory, LOG_LEVEL } = settings
  const progress = showProgress(createLogger(LOG_LEVEL))
  try {
    await withSession({ temporaryFolder: temporaryFolder(DATA_DIR), memory }, async (connection) => {
      for await (const finding of auditPublished(connection, updateSettings(settings), verify, progress)) {
        progress.done()
        process.stdout.write(describeFinding(finding))
      }
    })
  } finally {
    progress.done()
  }
})

withFlags(
  program.command('status').description('what is published, from which chain, and how old it is'),
  flags,
).action(async (_, command: Command) => {
  process.stdout.write(describeStatus(settingsOf(command, flags).DATA_DIR))
})

withFlags(
  program
    .command('chart')
    .description('draw a chart of what is published into a file')
    .option('--metric <id>', 'a metric; docs/metrics.md lists them')
    .option('--template <name>', 'a ready chart; docs/charts.md shows them')
    .option('--days <days>', 'newest days to show, 7 to 10000 (default 365)')
    .option('--theme <theme>', 'light (default) or dark')
    .option('--width <pixels>', '600 to 2400 (default 1200)')
    .option('--height <pixels>', '300 to 1200 (default 600)')
    .requiredOption('-o, --output <file>', 'file to write, ending in .png or .svg'),
  flags,
).action(async (options: ChartOptions & { output: string }, command: Command) => {
  const { writeChart } = await import('#root/cli/chart.ts')
  process.stdout.write(await writeChart(settingsOf(command, flags), options))
})

const importCommand = program.command('import').description('add market data from a CSV file')
for (const kind of importKinds) {
  const { holds, columns } = importFiles[kind]
  withFlags(importCommand.command(kind).argument('<file>', `CSV with ${columns}`).description(holds), flags).action(
    async (file: string, _, command: Command) => {
      const settings = settingsOf(command, flags)
      const text = await withWriter(settings, (connection) => importFile(connection, settings.DATA_DIR, kind, file))
      process.stdout.write(text)
    },
  )
}

withFlags(
  program
    .command('fetch')
    .argument('[source...]', 'ids as "coinstrata sources" lists them; without any, those of MARKET_SOURCES')
    .description('fetch market data: what is new since the last time, or everything the first time')
    .option('--since <date>', 'fetch again from this day on (YYYY-MM-DD, UTC)', startOfDay)
    .option(
      '--snapshots',
      'only the open interest of this moment, of which most venues keep no history; for hourly runs',
    )
    .addHelpText(
      'after',
      '\nA source that fails stops none of the others; the exit code tells of failure only where all of them failed.',
    ),
  flags,
).action(
  async (
    sources: string[],
    { since, snapshots = false }: { since?: number; snapshots?: boolean },
    command: Command,
  ) => {
    const settings = settingsOf(command, flags)
    const { DATA_DIR: dataDir, MARKET_SOURCES: marketSources } = settings
    await recordRun(dataDir, snapshots ? 'snapshots' : 'fetch', () =>
      withWriter(settings, (connection) =>
        fetchMarket(connection, dataDir, { sources, marketSources, since, snapshots }),
      ),
    )
  },
)

withFlags(
  program.command('sources').description('sources of market data: when they last answered, what is stored, what to do'),
  flags,
).action(async (_, command: Command) => {
  process.stdout.write(await describeSources(settingsOf(command, flags).DATA_DIR))
})

withFlags(
  program
    .command('mcp')
    .description('tools for AI assistants, over standard input and output')
    .option('--http', 'over HTTP instead, on a port of their own (MCP_PORT, default 3001)'),
  logFlags,
).action(async ({ http = false }: { http?: boolean }, command: Command) => {
  const { runMcp } = await import('#root/cli/mcp.ts')
  await runMcp(settingsOf(command, logFlags), http)
})

addAccountCommands(program, (command, run) => {
  withFlags(command, flags).action(async () => {
    const dataDir = settingsOf(command, flags).DATA_DIR
    process.stdout.write(await namingFolder(dataDir, run(dataDir)))
  })
})

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

function addStep(name: string, description: string, step: Step): void {
  const all = [...flags, ...sourceFlags]
  withFlags(program.command(name).description(description), all).action((_, command: Command) =>
    runStep(name, step, settingsOf(command, all)),
  )
}

async function runStep(name: string, step: Step, settings: Settings): Promise<void> {
  const progress = showProgress(createLogger(settings.LOG_LEVEL))
  await recordRun(settings.DATA_DIR, name, async () => {
    let report: UpdateReport
    try {
      report = await step(updateSettings(settings), progress)
    } finally {
      progress.done()
    }
    const { generation, tipHeight, blocks } = report
    process.stdout.write(
      generation
        ? await summarize(settings.DATA_DIR, temporaryFolder(settings.DATA_DIR), generation, report)
        : `${blocks} blocks read, segments reach block ${tipHeight}; "coinstrata compute" publishes them\n`,
    )
    return null
  })
}

function withFlags(command: Command, list: Flags): Command {
  for (const [flag, setting, help] of list) command.option(flag, `${help} [${setting}]`)
  return command
}

function settingsOf(command: Command, list: Flags): Settings {
  const options = command.opts<Record<string, string | undefined>>()
  const given = list.map(([flag, setting]) => {
    const name = flag.split(' ')[0]!.slice(2)
    const text = options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (text === '') {
      throw new CoinstrataError('invalid_argument', `--${name} is empty`, {
        cure: `give --${name} a value, or leave it out for the default`,
      })
    }
    return [setting, text] as const
  })
  return readSettings(Object.fromEntries(given))
}

const updateSettings = (settings: Settings): UpdateSettings => ({
  dataDir: settings.DATA_DIR,
  network: settings.BITCOIN_NETWORK,
  source: settings.BITCOIN_SOURCE,
  datadir: settings.BITCOIN_DATADIR,
  blocksdir: settings.BITCOIN_BLOCKSDIR,
  rpcUrl: settings.BITCOIN_RPC_URL,
  rpcUser: settings.BITCOIN_RPC_USER,
  rpcPassword: settings.BITCOIN_RPC_PASSWORD,
  simulatedSeed: settings.SIMULATED_SEED,
  memory: settings.MEMORY_LIMIT,
  defaultDatadir: defaultNodeDatadir(),
})

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // Nobody reads on, as behind "| head". What is unfinished must not pass for success: the code that shells use here.
    process.exit(128 + os.constants.signals.SIGPIPE)
  })
}

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function report(error: unknown): number {
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof CoinstrataError) {
    process.stderr.write(
      `coinstrata: ${error.message} [${error.code}]\n${error.cure ? `What to do: ${error.cure}\n` : ''}`,
    )
    return error.exitCode
  }
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(
    `coinstrata: unexpected failure: ${message}\nThis is a defect: please report it. LOG_LEVEL=debug shows where it happened.\n`,
  )
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  return 1
}
