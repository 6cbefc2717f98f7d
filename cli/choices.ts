import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { stateFolder } from '#compute/data-folder.ts'
import { labelFiles } from '#compute/labels/label-files.ts'
import { programHash } from '#compute/publish/input-key.ts'
import { type Settings, settingNames } from '#root/config.ts'
import { replaceFile } from '#sql/files.ts'

/** Settings of an update. The password is no reason for one, and is not worth a hash on the disk. */
const decides = /^(BITCOIN_(?!RPC_PASSWORD)|SIMULATED_|PRICING|PRICE_|ADDRESSES|PUBLISH_|LAKE)/

/** Hash of what decides an update's files besides blocks and market data. */
function choicesKey(settings: Settings): string {
  const hash = createHash('sha256').update(programHash())
  hash.update(JSON.stringify(settingNames.filter((name) => decides.test(name)).map((name) => settings[name] ?? null)))
  for (const file of labelFiles(settings.DATA_DIR)) hash.update(readFileSync(file))
  return hash.digest('hex')
}

const choicesFile = (dataDir: string): string => path.join(stateFolder(dataDir), 'updated-with')

/** True if the last successful update had the same program, settings and lists of labels. */
export function isUpdatedWith(settings: Settings): boolean {
  const file = choicesFile(settings.DATA_DIR)
  return existsSync(file) && readFileSync(file, 'utf8') === choicesKey(settings)
}

export function recordChoices(settings: Settings): void {
  if (!isUpdatedWith(settings)) replaceFile(choicesFile(settings.DATA_DIR), choicesKey(settings))
}
