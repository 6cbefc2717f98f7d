import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { readPublicKey } from '#base/signing-keys.ts'
import { stateFolder, withDataFolder } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { downloadHistory, readHistory } from '#store/history.ts'
import { openStore } from '#store/open-store.ts'
import { computeFlags, defineCommand, flags, sourceFlags } from './flags.ts'
import { createOutput } from './output.ts'
import type { ProcessContext } from './process-context.ts'
import { recordRun } from './recorded-run.ts'
import { runStep, toUpdateSettings } from './steps.ts'
import { formatMegabytes } from './store-commands.ts'

export function addBootstrapCommand(program: Command, context: ProcessContext): void {
  const { environment } = context
  defineCommand(
    program
      .command('bootstrap')
      .argument('<store>', 'address of the store, as for "pull", or a folder')
      .description(
        'begin with the history that another operator published ("publish --history"), so that a pruned node is enough: compare it with the blocks and coins of the node, and publish',
      )
      .option('--trust <file>', 'public key (Ed25519, PEM) of the operator; refuse what is not signed with it'),
    [...flags, ...sourceFlags, ...computeFlags],
    environment,
    async (settings, { trust }: { trust?: string }, [store = '']) => {
      const { readBootstrapHistory } = await import('#compute/scan/bootstrap-history.ts')
      if (!readBootstrapHistory(settings.DATA_DIR)?.isProved) {
        await takeHistory(settings, context, existsSync(store) ? pathToFileURL(path.resolve(store)).href : store, trust)
      }
      const { update } = await import('#compute/update.ts')
      // The history has the blocks of a second scan.
      await runStep('update', (...step) => update(...step, { rescan: true }), settings, context)
    },
  )
}

/** An interrupted download continues. */
async function takeHistory(
  settings: Settings,
  context: ProcessContext,
  address: string,
  trust: string | undefined,
): Promise<void> {
  const { DATA_DIR: dataDir } = settings
  const { prepareHistory } = await import('#compute/scan/bootstrap-history.ts')
  const key = trust === undefined ? undefined : readPublicKey(trust)
  const store = await openStore(address)
  const output = createOutput(settings, context)
  await recordRun(dataDir, 'bootstrap', output, () =>
    withDataFolder(dataDir, async () => {
      const history = await readHistory(store, key)
      const updateSettings = toUpdateSettings(settings, context.environment)
      const begin = await prepareHistory(updateSettings, history)
      let shown = 0
      await downloadHistory(store, history, {
        folder: path.join(stateFolder(dataDir), 'bootstrap'),
        begin,
        onProgress: (bytes, total) => {
          if (bytes < total && bytes - shown < total / 20) return
          shown = bytes
          output.log.info(
            { bytes, total },
            `${formatMegabytes(bytes)} of ${formatMegabytes(total)} of the history are here`,
          )
        },
      })
      const { height } = history.tip
      const message = `the history up to block ${height} is here; it is published only if the node has the same coins`
      output.stdout.write(`${message}\n`)
      return { message, figures: { tip_height: height } }
    }),
  )
}
