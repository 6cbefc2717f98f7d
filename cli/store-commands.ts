import type { Command } from 'commander'
import { CoinstrataError } from '#base/errors.ts'
import { readPrivateKey, readPublicKey } from '#base/signing-keys.ts'
import { folderId, folderNetwork, withDataFolder } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { publishHistory } from '#store/history.ts'
import { writeFolderLake, writeStoreLake } from '#store/lake/generations.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { Puller } from '#store/pull.ts'
import { defineCommand, flags, publishFlags, pullFlags } from './flags.ts'
import { createOutput } from './output.ts'
import type { ProcessContext } from './process-context.ts'
import { type RunReport, recordRun } from './recorded-run.ts'

interface PublishFlags {
  readonly force?: boolean
  readonly dataset?: string
  readonly license?: string
}

export function addStoreCommands(program: Command, context: ProcessContext): void {
  const { environment } = context
  defineCommand(
    program
      .command('publish')
      .description(
        'copy the current generation to a store for machines that only serve; "update" does this with PUBLISH_URL',
      )
      .option('--force', 'publish even what the store already has, and replace what another data folder published')
      .option('--dataset <folder>', 'write a folder instead, described for Hugging Face and other places of data sets')
      .option('--license <id>', 'SPDX id of the licence under which you publish that folder, such as CC-BY-4.0'),
    [...flags, ...publishFlags],
    environment,
    async (settings, { force = false, dataset, license = '' }: PublishFlags) => {
      if (dataset === undefined) return publish(settings, context, force)
      const { writeDataset } = await import('#store/dataset.ts')
      const bytes = await writeDataset(settings.DATA_DIR, dataset, license)
      context.stdout.write(`${dataset}: ${formatMegabytes(bytes)}, ready to be uploaded as it is\n`)
    },
  )
  defineCommand(
    program
      .command('pull')
      .description('take the current generation from a store, once; "serve" keeps doing this with PULL_URL')
      .option(
        '--accept-older',
        'accept a publication before the last that was pulled, as after the store was restored',
      ),
    [...flags, ...pullFlags],
    environment,
    async (settings, { acceptOlder = false }: { acceptOlder?: boolean }) => {
      const puller = await openPuller(settings, acceptOlder)
      const output = createOutput(settings, context)
      await recordRun(settings.DATA_DIR, 'pull', output, async () => {
        const report = await pullOnce(puller, settings.DATA_DIR)
        output.stdout.write(`${report?.message ?? 'nothing is new'}\n`)
        return report ?? {}
      })
    },
  )
}

/** Copies the current generation to the store. */
export async function publish(settings: Settings, context: ProcessContext, force = false): Promise<void> {
  const { DATA_DIR: dataDir, PUBLISH_URL: url, PUBLISH_KEY_FILE: keyFile } = settings
  const store = await openStore(requireUrl(url, 'PUBLISH_URL', '--to'))
  const key = keyFile === undefined ? undefined : readPrivateKey(keyFile)
  const output = createOutput(settings, context)
  await recordRun(dataDir, 'publish', output, async () => {
    const { id, unchanged, bytes, removed } = await publishToStore(store, dataDir, {
      key,
      publisher: folderId(dataDir),
      force,
    })
    if (settings.LAKE === 'on') await writeStoreLake(store, dataDir)
    const message = unchanged
      ? `${store.name} has ${id} already`
      : `${id} is current in ${store.name}, ${formatMegabytes(bytes)}`
    output.stdout.write(`${message}\n`)
    const figures = { generation: id, unchanged, bytes, removed }
    if (settings.PUBLISH_HISTORY === 'off') return { message, figures }
    const { describeHistory } = await import('#compute/scan/bootstrap-history.ts')
    const { description, files } = describeHistory(dataDir, settings.ADDRESSES)
    const history_bytes = await publishHistory(store, description, files, key)
    const { height } = description.tip
    output.stdout.write(`the history up to block ${height} is there too, ${formatMegabytes(history_bytes)}\n`)
    return { message, figures: { ...figures, history_bytes } }
  })
}

/** Updates the data folder's Iceberg metadata if LAKE=on. */
export async function writeLake({ LAKE, DATA_DIR: dataDir }: Settings): Promise<void> {
  if (LAKE === 'on') await withDataFolder(dataDir, () => writeFolderLake(dataDir))
}

export async function openPuller(
  { DATA_DIR: dataDir, PULL_URL: url, PULL_KEY_FILE: keyFile }: Settings,
  acceptOlder = false,
): Promise<Puller> {
  const store = await openStore(requireUrl(url, 'PULL_URL', '--from'))
  return new Puller(store, dataDir, { acceptOlder, key: keyFile === undefined ? undefined : readPublicKey(keyFile) })
}

/** Undefined if nothing is new. */
export async function pullOnce(puller: Puller, dataDir: string): Promise<RunReport | undefined> {
  const network = folderNetwork(dataDir)
  if (network !== undefined) {
    const message = `${dataDir} holds the data that this machine computes for ${network}`
    throw new CoinstrataError('data_folder_mismatch', message, {
      cure: 'pull into a separate data folder: set DATA_DIR (or --data-dir) to another folder',
    })
  }
  const pulled = await withDataFolder(dataDir, () => puller.pull())
  if (!pulled) return undefined
  const { generation, bytes } = pulled
  return {
    message: `${generation.id} is current, ${formatMegabytes(bytes)} came from the store`,
    figures: { generation: generation.id, bytes, tip_height: generation.tip.height },
  }
}

function requireUrl(url: string | undefined, setting: string, flag: string): string {
  if (url !== undefined) return url
  throw new CoinstrataError('invalid_configuration', `no store is given: ${setting} is not set`, {
    cure: `set ${setting} or give ${flag}, as s3://bucket/prefix or file:///folder`,
  })
}

export const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
