import type { Command } from 'commander'
import { CoinstrataError } from '#base/errors.ts'
import type { AgreeOptions } from './agree.ts'
import type { ChartOptions } from './chart.ts'
import { defineCommand, flags, serverFlags, sourceFlags, statusFlags } from './flags.ts'
import type { ProcessContext } from './process-context.ts'
import { describeStatus } from './status.ts'

const statusHelp = `
With --max-age the exit code gives the state: 0 ok, 1 stale (the newest block is older, or an update is overdue), 2 the last
update failed, 3 nothing is published.`

interface AgreeArguments extends Partial<Pick<AgreeOptions, 'with'>>, Omit<AgreeOptions, 'with'> {
  readonly priceOnchain?: boolean
  readonly json?: boolean
}

const defaultTolerance = 1e-9

function readTolerance(text: string): number {
  const fraction = Number(text)
  if (text.trim() !== '' && fraction >= 0 && fraction < 1) return fraction
  throw new CoinstrataError('invalid_argument', `--tolerance is "${text}", which is no fraction from 0 to 1`, {
    cure: 'give one such as 0.001 for a tenth of a percent',
  })
}

export function addInspectionCommands(
  program: Command,
  { environment, stdout }: ProcessContext,
  setExitCode: (code: number) => void,
): void {
  defineCommand(
    program
      .command('doctor')
      .description(
        'check everything that an update and the service need, and say how to fix each problem; changes nothing',
      )
      .option('--json', 'as JSON'),
    [...flags, ...sourceFlags, ...serverFlags],
    environment,
    async (settings, { json = false }: { json?: boolean }) => {
      const { describeFindings, examine } = await import('./doctor.ts')
      const findings = await examine(settings, environment)
      stdout.write(json ? `${JSON.stringify(findings, undefined, 2)}\n` : describeFindings(findings))
      if (findings.some(({ state }) => state === 'problem')) setExitCode(1)
    },
  )
  defineCommand(
    program
      .command('status')
      .description('show what is published, from which chain, how old it is and what is wrong')
      .option('--json', 'as JSON, with the fields of /health')
      .addHelpText('after', statusHelp),
    statusFlags,
    environment,
    async (settings, { json = false, maxAge }: { json?: boolean; maxAge?: string }) => {
      const { text, exitCode } = await describeStatus(settings, json, environment)
      stdout.write(text)
      if (maxAge !== undefined) setExitCode(exitCode)
    },
  )
  defineCommand(
    program.command('labels').description('list what the addresses of your own lists hold (docs/addresses.md)'),
    flags,
    environment,
    async ({ DATA_DIR: dataDir }) => {
      const { describeLabels } = await import('./labels.ts')
      stdout.write(await describeLabels(dataDir))
    },
  )
  defineCommand(
    program
      .command('metrics')
      .description('metrics of your own (docs/metrics-of-your-own.md)')
      .command('check')
      .argument('<file>', 'definition (JSON)')
      .description('check a definition against the published metrics, before the next update computes it'),
    flags,
    environment,
    async (settings, _, [file = '']) => {
      const { checkOwnFile } = await import('./own-metrics.ts')
      stdout.write(await checkOwnFile(settings, file))
    },
  )
  defineCommand(
    program
      .command('agree')
      .description("compare the values of another vendor's CSV file with what is published, day by day")
      .option('--with <file>', 'CSV with a column of dates and columns of values')
      .option('--price-onchain', 'instead compare the price from the chain with the published prices since 2020')
      .option(
        '--column <theirs=ours>',
        'compare a column with a metric or formula (default: with the metric that has its name); repeatable',
        (text: string, all: readonly string[] = []) => [...all, text],
      )
      .option(
        '--tolerance <fraction>',
        'relative difference of values that count as equal',
        readTolerance,
        defaultTolerance,
      )
      .option('--json', 'as JSON, with every day that differs')
      .addHelpText('after', '\nThe exit code is 1 if a value differs.'),
    flags,
    environment,
    async (settings, { json = false, priceOnchain, with: file, ...options }: AgreeArguments) => {
      const { compareFile, compareOnchainPrice, describeAgreement, describeOnchainPrice } = await import('./agree.ts')
      if (priceOnchain) {
        const compared = await compareOnchainPrice(settings)
        stdout.write(json ? `${JSON.stringify(compared, undefined, 2)}\n` : describeOnchainPrice(compared))
        if (!compared.holds) setExitCode(1)
        return
      }
      if (file === undefined) {
        throw new CoinstrataError('invalid_argument', 'nothing to compare with is given', {
          cure: 'give --with FILE, or --price-onchain',
        })
      }
      const agreement = await compareFile(settings, { ...options, with: file })
      stdout.write(json ? `${JSON.stringify(agreement, undefined, 2)}\n` : describeAgreement(agreement))
      if (agreement.columns.some(({ differing }) => differing.length > 0)) setExitCode(1)
    },
  )
  defineCommand(
    program
      .command('compare')
      .description(
        'compare the hashes of each day with those of another operator: the same chain gives the same history',
      )
      .argument('<other>', 'address of the service, such as https://example.org, or a data folder')
      .option('--trust <key>', 'require that this key signed: its fingerprint, or a file (Ed25519, PEM)')
      .option('--json', 'as JSON')
      .addHelpText('after', '\nThe exit code is 1 if flows, blocks or days differ; prices and metrics may.'),
    flags,
    environment,
    async (settings, { json = false, trust }: { json?: boolean; trust?: string }, [other = '']) => {
      const { compareHistory, describeComparison, isSameChain } = await import('./compare.ts')
      const comparison = await compareHistory(settings, other, trust)
      stdout.write(json ? `${JSON.stringify(comparison, undefined, 2)}\n` : describeComparison(comparison))
      if (!isSameChain(comparison)) setExitCode(1)
    },
  )
  defineCommand(
    program
      .command('chart')
      .description('draw a chart of what is published into a file')
      .option('--metric <id>', 'a metric; docs/metrics/all.md lists them')
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
}
