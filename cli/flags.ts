import type { Command } from 'commander'
import { CoinstrataError } from '#base/errors.ts'
import { describeSetting, readSettings, type SettingName, type Settings } from '#root/config.ts'

/** Flags by the setting that each overrides; one without a value stands for the value that is given here. */
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
export const publishFlags: Flags = [['--to <url>', 'PUBLISH_URL']]

export const workerFlags: Flags = [['--workers <count>', 'WORKERS']]

export const serverFlags: Flags = [
  ['--host <address>', 'HOST'],
  ['--port <port>', 'PORT'],
]

/** Gives a command these flags, with the words and defaults of their settings. */
export function withFlags(command: Command, list: Flags): Command {
  for (const [flag, setting, means] of list) {
    const { description, usual } = describeSetting(setting)
    if (means !== undefined) {
      command.option(flag, `the same as ${setting}=${means}`)
      continue
    }
    command.option(flag, `${description.replaceAll('`', '')}${usual && ` (default ${usual})`} [${setting}]`)
  }
  return command
}

/** Gives a command these flags; `run` is handed the settings that they and the environment make, and its other options. */
export function withSettings<Options extends object>(
  command: Command,
  list: Flags,
  environment: NodeJS.ProcessEnv,
  run: (settings: Settings, options: Options) => Promise<void> | void,
): void {
  withFlags(command, list).action(() => run(settingsOf(command, list, environment), command.opts<Options>()))
}

/** The settings of a command: its flags, then the environment. Throws `invalid_argument`, `invalid_configuration`. */
export function settingsOf(command: Command, list: Flags, environment: NodeJS.ProcessEnv): Settings {
  const options = command.opts<Record<string, string | boolean | undefined>>()
  const optionOf = (name: string): string | boolean | undefined =>
    options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
  const isSet = (name: string): boolean =>
    name.startsWith('no-') ? optionOf(name.slice(3)) === false : optionOf(name) === true
  const given = list.flatMap(([flag, setting, means]) => {
    const name = flag.split(' ')[0]!.slice(2)
    if (means !== undefined) return isSet(name) ? [[setting, means] as const] : []
    const text = optionOf(name)
    if (text === '') {
      throw new CoinstrataError('invalid_argument', `--${name} is empty`, {
        cure: `give --${name} a value, or leave it out for the default`,
      })
    }
    return typeof text === 'string' ? [[setting, text] as const] : []
  })
  return readSettings(Object.fromEntries(given), environment)
}
