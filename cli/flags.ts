import { type Command, Option } from 'commander'
import { CoinstrataError } from '#base/errors.ts'
import { folderError, refuseOtherFormat } from '#compute/data-folder.ts'
import { describeSetting, readSettings, type SettingName, type Settings } from '#root/config.ts'
import type { ProcessContext } from './process-context.ts'

/** Flags override settings; one without a value sets the third element. */
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

export const computeFlags: Flags = [
  ['--pricing <kind>', 'PRICING'],
  ['--experimental', 'EXPERIMENTAL', 'on'],
]

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
    const text = `${description.replaceAll('`', '')}${defaultText && ` (default ${defaultText})`} [${setting}]`
    command.addOption(
      means === undefined ? new Option(flag, text) : new Option(flag, `the same as ${setting}=${means}`).preset(means),
    )
  }
  return command
}

/** `run` receives the settings, the other options and the arguments. */
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

/** Flags override the environment. */
export function readCommandSettings(command: Command, list: Flags, environment: NodeJS.ProcessEnv): Settings {
  const options = command.opts<Record<string, string | boolean | undefined>>()
  const given = list.flatMap(([flag, setting]) => {
    const option = new Option(flag)
    const value = options[option.attributeName()]
    if (value === '') {
      throw new CoinstrataError('invalid_argument', `${option.long} is empty`, {
        cure: `give ${option.long} a value, or leave it out for the default`,
      })
    }
    // Unused flags that begin with --no- are true.
    return typeof value === 'string' ? [[setting, value]] : []
  })
  return readSettings(Object.fromEntries(given), environment)
}
