import { CoinstrataError } from '#base/errors.ts'
import type { Progress } from '#compute/progress.ts'
import type { UpdateReport } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { defaultNodeDatadir, type Settings } from '#root/config.ts'
import { readableGeneration } from '#sql/generation.ts'
import { createOutput } from './output.ts'
import type { ProcessContext } from './process-context.ts'
import { showProgress } from './progress.ts'
import { recordRun } from './recorded-run.ts'
import { writeLake } from './store-commands.ts'
import { summarize } from './summary.ts'

export type Step = (settings: UpdateSettings, progress: Progress) => Promise<UpdateReport>

/** As a recorded run, with progress and a printed result. */
export async function runStep(name: string, step: Step, settings: Settings, context: ProcessContext): Promise<void> {
  const { environment, stderr } = context
  const output = createOutput(settings, context)
  const notesBefore = readableGeneration(settings.DATA_DIR)?.generation.notes ?? []
  await recordRun(settings.DATA_DIR, name, output, async (reportStep) => {
    const progress = showProgress(output.log, stderr, reportStep)
    let report: UpdateReport
    let message: string | null = null
    try {
      report = await step(toUpdateSettings(settings, environment), progress)
      if (report.generation) {
        message = await writeLake(settings).then(() => null, describeLakeFailure)
        if (message !== null) output.log.error(message)
        const { recordChoices } = await import('#root/cli/choices.ts')
        recordChoices(settings)
      }
    } finally {
      progress.done()
    }
    if (!output.isJson) {
      const { blocks, tipHeight, generation } = report
      output.stdout.write(
        generation
          ? await summarize(settings.DATA_DIR, generation, report, notesBefore)
          : `${blocks} blocks read, segments reach block ${tipHeight}; "coinstrata compute" publishes them\n`,
      )
    }
    return { message, figures: toFigures(report) }
  })
}

/** The tables themselves are published. Other errors may be of the disk. */
function describeLakeFailure(error: unknown): string {
  if (!(error instanceof CoinstrataError)) throw error
  return `the Iceberg tables of LAKE=on are as before: ${error.message} [${error.code}]`
}

const toFigures = ({ generation, ...report }: UpdateReport) => ({
  tip_height: report.tipHeight,
  blocks: report.blocks,
  bytes: report.bytes,
  scan_seconds: report.scanSeconds,
  compute_seconds: report.computeSeconds,
  ...(generation && {
    generation: generation.id,
    unchanged: report.unchanged === true,
    last_date: generation.last_date,
    supply_sats: generation.tip.supply_sats,
    equal_to_node: generation.audit.node !== null,
  }),
})

export const toUpdateSettings = (settings: Settings, environment: NodeJS.ProcessEnv): UpdateSettings => ({
  dataDir: settings.DATA_DIR,
  network: settings.BITCOIN_NETWORK,
  source: settings.BITCOIN_SOURCE,
  datadir: settings.BITCOIN_DATADIR,
  blocksdir: settings.BITCOIN_BLOCKSDIR,
  rpcUrl: settings.BITCOIN_RPC_URL,
  rpcUser: settings.BITCOIN_RPC_USER,
  rpcPassword: settings.BITCOIN_RPC_PASSWORD,
  rpc: settings.BITCOIN_RPC,
  pricing: settings.PRICING,
  priceSource: settings.PRICE_SOURCE,
  priceAnchor: settings.PRICE_ANCHOR,
  fine: settings.PUBLISH_FINE === 'on',
  addresses: settings.ADDRESSES,
  publishLabels: settings.PUBLISH_LABELS === 'on',
  signingKeyFile: settings.PUBLISH_KEY_FILE,
  simulatedSeed: settings.SIMULATED_SEED,
  memory: settings.MEMORY_LIMIT,
  dumpFolder: settings.DUMP_FOLDER,
  defaultDatadir: defaultNodeDatadir(environment),
})
