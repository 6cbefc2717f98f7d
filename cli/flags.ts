import type { Command } from 'commander'
import { CoinstrataError } from '#base/errors.ts'
import { folderError, refuseOtherFormat } from '#compute/data-folder.ts'
import { describeSetting, readSettings, type SettingName, type Settings } from '#root/config.ts'
import type { ProcessContext } from './process-context.ts'

/** Each flag overrides a setting; a flag without a value sets it to the third element. */
export type Flags = ReadonlyArray<readonly [flag: string, setting: SettingName, means?: string]>
export const logFlags: Flags = [['--log-level <level>', 'LOG_LEVEL']]
export const flags: Flags = [['--data-dir <folder>', 'DATA_DIR'], ...logFlags]
export const sourceFlags: Flags = [
  ['--datadir <folder>', 'BITCOIN_DATADIR'],
  ['--blocksdir <folder>', 'BITCOIN_BLOCKSDIR'],
  ['--network <name>', 'BITCOIN_NETWORK'],
  ['--source <kind>', 'BITCOIN_SOURCE'],
  ['--rpc-url <url>', 'BITCOIN_RPC_URL'],
  ['--rpc-user <name>', 'BITCOIN_RPC_USER'],
  ['--require-node', 'BITCOIN_RPC', 'required'],
  ['--no-rpc', 'BITCOIN_RPC', 'off'],
]

export const statusFlags: Flags = [...flags, ['--max-age <age>', 'MAX_AGE']]

export const computeFlags: Flags = [['--pricing <kind>', 'PRICING']]

export const pullFlags: Flags = [['--from <url>', 'PULL_URL']]
export const publishFlags: Flags = [
  ['--to <url>', 'PUBLISH_URL'],
  ['--history', 'PUBLISH_HISTORY', 'on'],
]

export const workerFlags: Flags = [['--workers <count>', 'WORKERS']]

export const serverFlags: Flags = [
  ['--host <address>', 'HOST'],
  ['--port <port>', 'PORT'],
]

export function addFlags(command: Command, list: Flags): Command {
  for (const [flag, setting, means] of list) {
    const { description, defaultText } = describeSetting(setting)
    if (means !== undefined) {
      command.option(flag, `the same as ${setting}=${means}`)
      continue
    }
    command.option(flag, `${description.replaceAll('`', '')}${defaultText && ` (default ${defaultText})`} [${setting}]`)
  }
  return command
}

/** Adds flags and an action, which receives the settings, the other options and the arguments. */
export function defineCommand<Options extends object>(
  command: Command,
  list: Flags,
  environment: NodeJS.ProcessEnv,
  run: (settings: Settings, options: Options, args: readonly string[]) => Promise<void> | void,
): void {
  addFlags(command, list).action(() =>
    run(readCommandSettings(command, list, environment), command.opts<Options>(), command.args),
  )
}

export function definePrintingCommand<Options extends object>(
  command: Command,
  { environment, stdout }: ProcessContext,
  run: (settings: Settings, options: Options, args: readonly string[]) => Promise<string>,
): void {
  defineCommand<Options>(command, flags, environment, async (settings, options, args) => {
    refuseOtherFormat(settings.DATA_DIR)
    const text = await run(settings, options, args).catch((cause: unknown) => {
      throw folderError(cause, settings.DATA_DIR)
    })
    stdout.write(text)
  })
}

/**
 * Reads the settings from flags, then the environment. Throws `invalid_argument`,
 * `invalid_configuration`.
 */
export function readCommandSettings(command: Command, list: Flags, environment: NodeJS.ProcessEnv): Settings {
  const options = command.opts<Record<string, string | boolean | undefined>>()
  const readOption = (name: string): string | boolean | undefined =>
    options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
  const isSet = (name: string): boolean =>
    name.startsWith('no-') ? readOption(name.slice(3)) === false : readOption(name) === true
  const given = list.flatMap(([flag, setting, means]) => {
    const name = flag.split(' ')[0]!.slice(2)
    if (means !== undefined) return isSet(name) ? [[setting, means] as const] : []
    const text = readOption(name)
    if (text === '') {
      throw new CoinstrataError('invalid_argument', `--${name} is empty`, {
        cure: `give --${name} a value, or leave it out for the default`,
      })
    }
    return typeof text === 'string' ? [[setting, text] as const] : []
  })
  return readSettings(Object.fromEntries(given), environment)
}
