import type { Command } from 'commander'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { formatCount } from '#base/quantities.ts'
import { folderNetwork, temporaryFolder, withDataFolder } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { withSession } from '#sql/session.ts'
import type { FetchOptions } from './fetch.ts'
import { addFlags, defineCommand, definePrintingCommand, flags, readCommandSettings } from './flags.ts'
import { importFile, importFiles, importKinds, takesEffect } from './import.ts'
import { createOutput } from './output.ts'
import type { ProcessContext } from './process-context.ts'
import { recordRun } from './recorded-run.ts'

export function addMarketCommands(program: Command, context: ProcessContext): void {
  const { environment, stdout } = context
  const importCommand = program
    .command('import')
    .description('add market data from a CSV file, or the list of mining pools')
  for (const kind of importKinds) {
    const { holds, columns } = importFiles[kind]
    const command = importCommand.command(kind).argument('<file>', `CSV with ${columns}`).description(holds)
    if (kind === 'prices') {
      command.option('--allow-jumps', 'accept values far from other columns, the lines before and stored prices')
    }
    defineCommand(command, flags, environment, async (settings, options: { allowJumps?: boolean }, [file = '']) => {
      const text = await withWriter(settings, (connection) =>
        importFile(connection, settings.DATA_DIR, kind, file, options),
      )
      stdout.write(text)
    })
  }
  definePrintingCommand(
    importCommand
      .command('pools')
      .argument(
        '[source]',
        'a file or an address with JSON like the list of github.com/mempool/mining-pools (the default)',
      )
      .description('the list of mining pools, in place of the one in use'),
    context,
    ({ DATA_DIR: dataDir }, _, [source]) =>
      withDataFolder(dataDir, async () => {
        const { importMiningPools } = await import('#ingest/market/mining-pools.ts')
        const { length } = await importMiningPools(dataDir, source)
        return `${formatCount(length)} mining pools imported\n${takesEffect}`
      }),
  )
  definePrintingCommand(
    importCommand
      .command('labels')
      .argument('<file>', 'one address a line, CSV with a column address, YAML of BitMEX, or a TagPack')
      .requiredOption('--name <name>', 'the label of addresses without one; an earlier list of this name is replaced')
      .description('addresses of a published list, whose balance is then counted each day (docs/addresses.md)'),
    context,
    ({ DATA_DIR: dataDir, BITCOIN_NETWORK: network }, { name }: { name: string }, [file = '']) =>
      withDataFolder(dataDir, async () => {
        const { importList } = await import('#compute/labels/import-list.ts')
        const length = importList(dataDir, folderNetwork(dataDir) ?? network, file, name)
        return `${formatCount(length)} addresses of ${name} imported. "coinstrata update --yes" reads all blocks for them.\n`
      }),
  )
  defineCommand(
    program
      .command('fetch')
      .argument('[source...]', 'ids of sources, as "coinstrata sources" lists them (default: those of MARKET_SOURCES)')
      .description('fetch market data: everything the first time, then only what is new')
      .option('--since <date>', 'fetch again from this day on (YYYY-MM-DD, UTC)', parseSince)
      .option('--snapshots', 'only the current open interest, of which most venues keep no history; for hourly jobs')
      .option('--hourly', 'with --snapshots: also the prices of the last hours')
      .addHelpText(
        'after',
        '\nIf a source fails, the others go on; the exit code reports a failure only if all of them failed.',
      ),
    flags,
    environment,
    async (settings, options: FetchOptions, sources) => {
      const { fetchMarket } = await import('./fetch.ts')
      const output = createOutput(settings, context)
      await recordRun(settings.DATA_DIR, options.snapshots ? 'snapshots' : 'fetch', output, async () => ({
        message: await withWriter(settings, (connection) =>
          fetchMarket(connection, settings, sources, options, context, output),
        ),
      }))
    },
  )
  addFlags(
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
    const { describeSources, probeMarket } = await import('./sources.ts')
    if (probe) await probeMarket(sources, context)
    else stdout.write(await describeSources(readCommandSettings(command, flags, environment).DATA_DIR, environment))
  })
}

function withWriter<T>(settings: Settings, work: Parameters<typeof withSession<T>>[1]): Promise<T> {
  const { DATA_DIR: dataDir, MEMORY_LIMIT: memory } = settings
  return withDataFolder(dataDir, () => withSession({ temporaryFolder: temporaryFolder(dataDir), memory }, work))
}

/** Start of the day in ms since 1970; only today or past days are valid. */
function parseSince(date: string): number {
  const start = Date.parse(date)
  if (z.iso.date().safeParse(date).success && start <= Date.now()) return start
  throw new CoinstrataError('invalid_argument', `--since is "${date}", which is not a past day or today`, {
    cure: 'give a day as YYYY-MM-DD (UTC)',
  })
}
