import type { Command } from 'commander'
import { readSettings, type SettingName, type Settings } from '#root/config.ts'
import { CoinstrataError } from '#root/errors.ts'

/** Flags by the setting that each overrides. */
export type Flags = ReadonlyArray<readonly [flag: string, setting: SettingName, help: string]>
export const logFlags: Flags = [['--log-level <level>', 'LOG_LEVEL', 'trace, debug, info, warn, error or silent']]
export const flags: Flags = [
  ['--data-dir <folder>', 'DATA_DIR', 'folder for everything that Coinstrata writes (default ./data)'],
  ...logFlags,
]
export const sourceFlags: Flags = [
  ['--datadir <folder>', 'BITCOIN_DATADIR', "the node's data directory (default ~/.bitcoin)"],
  ['--blocksdir <folder>', 'BITCOIN_BLOCKSDIR', 'folder of the block files, where they lie apart'],
  ['--network <name>', 'BITCOIN_NETWORK', 'mainnet, testnet4, signet or regtest'],
  ['--source <kind>', 'BITCOIN_SOURCE', 'auto, files, rpc or simulated'],
  ['--rpc-url <url>', 'BITCOIN_RPC_URL', "http://host:port of the node's RPC"],
  ['--rpc-user <name>', 'BITCOIN_RPC_USER', 'user of the RPC; the password is read from BITCOIN_RPC_PASSWORD'],
]

export const serverFlags: Flags = [
  ['--host <address>', 'HOST', 'address on which the API listens (default 127.0.0.1)'],
  ['--port <port>', 'PORT', 'port of the API (default 3000); 0 takes any free one'],
]

/** Gives a command these flags. */
export function withFlags(command: Command, list: Flags): Command {
  for (const [flag, setting, help] of list) command.option(flag, `${help} [${setting}]`)
  return command
}

/** The settings of a command: its flags, then the environment. Throws `invalid_argument`, `invalid_configuration`. */
export function settingsOf(command: Command, list: Flags, environment: NodeJS.ProcessEnv): Settings {
  const options = command.opts<Record<string, string | undefined>>()
  const given = list.map(([flag, setting]) => {
    const name = flag.split(' ')[0]!.slice(2)
    const text = options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (text === '') {
      throw new CoinstrataError('invalid_argument', `--${name} is empty`, {
        cure: `give --${name} a value, or leave it out for the default`,
      })
    }
    return [setting, text] as const
  })
  return readSettings(Object.fromEntries(given), environment)
}
