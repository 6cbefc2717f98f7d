import { temporaryFolder } from '#compute/data-folder.ts'
import type { Progress } from '#compute/progress.ts'
import type { UpdateReport } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { defaultNodeDatadir, type Settings } from '#root/config.ts'
import { createLogger } from '#root/log.ts'
import { showProgress } from './progress.ts'
import { recordRun } from './recorded-run.ts'
import { summarize } from './summary.ts'
import type { Surroundings } from './surroundings.ts'

/** A part of an update. */
export type Step = (settings: UpdateSettings, progress: Progress) => Promise<UpdateReport>

/** Runs a step under its name in the journal, shows how far it is, and prints what came of it. */
export async function runStep(
  name: string,
  step: Step,
  settings: Settings,
  { environment, stdout, stderr }: Surroundings,
): Promise<void> {
  const progress = showProgress(createLogger(settings.LOG_LEVEL, stderr), stderr)
  await recordRun(settings.DATA_DIR, name, async () => {
    let report: UpdateReport
    try {
      report = await step(updateSettings(settings, environment), progress)
    } finally {
      progress.done()
    }
    const { generation, tipHeight, blocks } = report
    stdout.write(
      generation
        ? await summarize(settings.DATA_DIR, temporaryFolder(settings.DATA_DIR), generation, report)
        : `${blocks} blocks read, segments reach block ${tipHeight}; "coinstrata compute" publishes them\n`,
    )
    return null
  })
}

/** What an update takes of the settings. */
export const updateSettings = (settings: Settings, environment: NodeJS.ProcessEnv): UpdateSettings => ({
  dataDir: settings.DATA_DIR,
  network: settings.BITCOIN_NETWORK,
  source: settings.BITCOIN_SOURCE,
  datadir: settings.BITCOIN_DATADIR,
  blocksdir: settings.BITCOIN_BLOCKSDIR,
  rpcUrl: settings.BITCOIN_RPC_URL,
  rpcUser: settings.BITCOIN_RPC_USER,
  rpcPassword: settings.BITCOIN_RPC_PASSWORD,
  pricing: settings.PRICING,
  simulatedSeed: settings.SIMULATED_SEED,
  memory: settings.MEMORY_LIMIT,
  defaultDatadir: defaultNodeDatadir(environment),
})
