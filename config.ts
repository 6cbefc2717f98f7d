import { existsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { validate } from 'node-cron'
import { z } from 'zod'
import { apiSettings, wholeNumber } from '#api/settings.ts'
import { type Problem, toProblem } from '#contract/operational-state.ts'
import { priceSources, pricings } from '#contract/pricing.ts'
import { networkNames } from '#ingest/chain/networks.ts'
import { toolSettings } from '#mcp/transport/settings.ts'
import { parseDay } from './base/days.ts'
import { CoinstrataError } from './base/errors.ts'
import { logFormats } from './base/log.ts'
import { editDistance } from './base/suggestions.ts'

const optionalText = z.string().optional()
/** `~` is the home folder, also where no shell replaces it. */
const pathSetting = z
  .string()
  .refine((text) => !/^~[^/]/.test(text), 'must be a whole path, or begin with ~/')
  .transform((text) => text.replace(/^~(?=\/|$)/, os.homedir()))
const switchSetting = z.enum(['on', 'off']).default('off')

/** UTC; five cron fields, or six with seconds. */
const cronTimes = z
  .string()
  .refine((text) => text === 'off' || validate(text), 'must have five cron fields, such as "30 0 * * *", or be off')

/** Names used by Bitcoin Core and systems that run it. */
const networkAliases: ReadonlyMap<unknown, string> = new Map([
  ['main', 'mainnet'],
  ['test', 'testnet3'],
  ['testnet', 'testnet3'],
])

const anchorForm = 'must be a day and its price in dollars, such as 2016-01-01:434'

const settingsSchema = z.object({
  DATA_DIR: pathSetting.default('./data').describe('folder for everything that Coinstrata writes'),
  BITCOIN_DATADIR: pathSetting
    .optional()
    .describe(
      "the node's data directory; by default that of Bitcoin Core on this system, such as `~/.bitcoin`, if it exists",
    ),
  BITCOIN_BLOCKSDIR: pathSetting.optional().describe('folder of the block files, if it is separate (`-blocksdir`)'),
  BITCOIN_NETWORK: z
    .preprocess(
      (name) => networkAliases.get(name) ?? name,
      z.enum(networkNames).exclude(['simulated']).default('mainnet'),
    )
    .describe(
      'network of the node: `mainnet`, `testnet3`, `testnet4`, `signet` or `regtest`; `main` and `test`, as Bitcoin Core calls the first two, mean the same',
    ),
  BITCOIN_SOURCE: z
    .enum(['auto', 'files', 'rpc', 'simulated'])
    .default('auto')
    .describe(
      'where blocks come from: `files` of the node, its `rpc`, a `simulated` chain, or `auto` for whatever is available',
    ),
  BITCOIN_RPC_URL: optionalText.describe(
    "address of the node's RPC, `http://host:port` or `https://…`; by default from `bitcoin.conf` in the data directory",
  ),
  BITCOIN_RPC_USER: optionalText.describe(
    'user of the RPC; by default the one in `bitcoin.conf`, or the cookie in the data directory',
  ),
  BITCOIN_RPC_PASSWORD: optionalText.describe('password of the RPC user; there is no flag for it'),
  BITCOIN_RPC: z
    .enum(['auto', 'required', 'off'])
    .default('auto')
    .describe(
      "use of the node's RPC to choose the chain and compare unspent totals: `auto` if it answers, `required` to fail if it does not, `off` never",
    ),
  SIMULATED_SEED: wholeNumber(0, 0xffffffff).default(1).describe('seed of the simulated chain'),
  PRICING: z
    .enum(pricings)
    .default('hourly')
    .describe('prices of coins and spends: `hourly` (closes on days without hourly prices), or only `daily` closes'),
  PRICE_SOURCE: z
    .enum(priceSources)
    .default('markets')
    .describe(
      'prices of coins: of `markets`, or `onchain`: of the chain alone, with imported prices of earlier days; experimental, and only with `EXPERIMENTAL=on`',
    ),
  PRICE_ANCHOR: z
    .string()
    .regex(/^(2009|20[1-9]\d)-\d\d-\d\d:\d{1,7}(\.\d+)?$/, anchorForm)
    .refine((text) => z.iso.date().safeParse(text.slice(0, 10)).success && Number(text.slice(11)) >= 0.01, anchorForm)
    .transform((text) => ({ day: parseDay(text.slice(0, 10)), price: Number(text.slice(11)) }))
    .optional()
    .describe('day and known price in USD from which the price from the chain is followed; default: `2016-01-01:434`'),
  EXPERIMENTAL: switchSetting.describe('`on`: allow settings that are experimental'),
  MEMORY_LIMIT: z
    .string()
    .regex(/^\d+(MB|GB)$/, 'must look like 1GB or 800MB')
    .default('1GB')
    .describe('memory that DuckDB may use'),
  ...apiSettings.shape,
  UPDATE_SCHEDULE: cronTimes
    .default('30 0 * * *')
    .describe('when `start` fetches market data and updates: UTC, five fields of cron; `off` for never'),
  SNAPSHOT_SCHEDULE: cronTimes
    .default('0 * * * *')
    .describe('when `start` takes market snapshots, in the same form; `off` for never'),
  FOLLOW: switchSetting.describe(
    '`on`: `start` follows the node over its RPC and serves the open day as `/v1/today`, after each block',
  ),
  AUDIT_COINS: z
    .enum(['weekly', 'off'])
    .default('off')
    .describe(
      '`weekly`: once a week after an update, `start` compares the coins of each day with those that the node lists',
    ),
  DUMP_FOLDER: pathSetting
    .optional()
    .describe(
      'folder in which the program makes one where the node writes its coins for `audit --coins`; both must enter it under the same path; default: the data folder',
    ),
  MARKET_SOURCES: z
    .string()
    .regex(/^[a-z0-9-]+(,[a-z0-9-]+)*$/, 'must be all, none, or ids of sources separated by commas')
    .default('all')
    .describe('market data to fetch: `all`, `none`, or comma-separated ids from `coinstrata sources`'),
  PUBLISH_URL: optionalText.describe(
    'store to which each new generation is copied for machines that only serve: `s3://bucket/prefix` or `file:///folder`',
  ),
  PUBLISH_KEY_FILE: pathSetting
    .optional()
    .describe(
      'private key (Ed25519, PEM) that signs these copies, and the hashes of days with which operators compare their history',
    ),
  PUBLISH_HISTORY: switchSetting.describe(
    '`on`: also copy the scan of all blocks to the store of `PUBLISH_URL`, from which machines with a pruned node begin (`coinstrata bootstrap`)',
  ),
  RENDERS_URL: z
    .string()
    .regex(/^(s3|file):/, 'must be s3://bucket/prefix or file:///folder')
    .optional()
    .describe(
      'store through which machines share charts, so that any of them can answer `/v1/chart/renders/{id}`: `s3://bucket/prefix` or `file:///folder`',
    ),
  WORKERS: wholeNumber(1, 64)
    .default(1)
    .describe('number of processes that `serve` runs on one port: at most one for each free core'),
  ADDRESSES: z
    .enum(['sample', 'all', 'off'])
    .default('sample')
    .describe(
      'balances of addresses: `sample` estimates them from one address in 64, with the error of each number; `all` counts every address, which takes 10 GB more of disk on mainnet and a node that keeps all blocks; `off` counts no addresses, active ones neither. After a change, `coinstrata update --yes` scans all blocks again',
    ),
  PUBLISH_LABELS: switchSetting.describe(
    '`on`: also publish the table `label_days`, what the addresses of your lists (`labels/*.csv` in the data folder) hold, and serve it at `/v1/addresses/labels`; `off`: only you can read it, in `labels/label_days.parquet`',
  ),
  LAKE: switchSetting.describe(
    '`on`: also write Apache Iceberg metadata for published generations, in the folder `lake` of the data folder and below `lake/` in the store of `PUBLISH_URL`',
  ),
  PUBLISH_FINE: switchSetting.describe(
    '`on`: also publish the table `fine_flows`, the flows at the full resolution of the scan, for your own computations',
  ),
  PULL_URL: optionalText.describe(
    'store from which `serve` takes each new generation: `s3://bucket/prefix`, `file:///folder` or `https://…`',
  ),
  PULL_KEY_FILE: pathSetting
    .optional()
    .describe('public key (Ed25519, PEM): only generations signed with its private key are taken'),
  PULL_SECONDS: wholeNumber(1, 86_400).default(10).describe('how often `serve` looks for a new generation, in seconds'),
  ...toolSettings.shape,
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error` or `silent`'),
  LOG_FORMAT: z
    .enum(logFormats)
    .default('auto')
    .describe('`text` for people, `json` for one object per line, or `auto`: text on a terminal, JSON lines elsewhere'),
})

export type Settings = z.infer<typeof settingsSchema>
/** SQLite opens files with paths of up to 512 bytes. */
const maxFolderBytes = 400

export type SettingName = keyof Settings

export const settingNames = settingsSchema.keyof().options

/** Default (empty if none) and meaning in Markdown, for docs/settings.md and `--help`. */
export function describeSetting(name: SettingName): { readonly defaultText: string; readonly description: string } {
  const { [name]: schema } = settingsSchema.shape
  return { defaultText: String(schema.safeParse(undefined).data ?? ''), description: schema.description ?? '' }
}

/** Flags take precedence; empty variables count as unset. Fails for the first invalid setting. */
export function readSettings(
  flags: Partial<Record<SettingName, string | undefined>>,
  environment: NodeJS.ProcessEnv,
): Settings {
  const variables = Object.entries(environment).filter(([, text]) => text !== '')
  const flagged = Object.entries(flags).filter(([, text]) => text !== undefined)
  const given: Record<string, string | undefined> = Object.fromEntries([...variables, ...flagged])
  for (const name of settingNames) refuseHidden(name, given[name])
  const result = settingsSchema.safeParse(given)
  if (result.success) {
    refuseConflicts(result.data)
    const DATA_DIR = path.resolve(result.data.DATA_DIR)
    const isTooLong = Buffer.byteLength(DATA_DIR) > maxFolderBytes
    // DuckDB takes these signs for patterns.
    if (!isTooLong && !/[*?[]/.test(DATA_DIR)) return { ...result.data, DATA_DIR }
    const problem = isTooLong ? 'is too long' : 'has one of the signs * ? ['
    throw new CoinstrataError('invalid_configuration', `DATA_DIR: the path ${DATA_DIR} ${problem}`, {
      cure: `choose a folder whose whole path has none of them and at most ${maxFolderBytes} bytes`,
    })
  }
  const [issue] = result.error.issues
  const name = String(issue?.path[0])
  const problem = issue?.message.replace(/, received \w+$/, '')
  throw new CoinstrataError('invalid_configuration', `${name}: ${problem}${describeValue(name, given[name])}`, {
    cure: `correct ${name} in the environment or on the command line; docs/settings.md lists every setting`,
  })
}

function refuseConflicts({ PRICE_SOURCE, EXPERIMENTAL, ADDRESSES }: Settings): void {
  if (PRICE_SOURCE !== 'onchain' || (EXPERIMENTAL === 'on' && ADDRESSES !== 'all')) return
  const [problem, cure] =
    ADDRESSES === 'all'
      ? ['cannot be combined with ADDRESSES=all', 'set ADDRESSES=sample, or PRICE_SOURCE=markets']
      : ['is experimental', 'add --experimental (EXPERIMENTAL=on) if you accept that its prices may be wrong']
  throw new CoinstrataError('invalid_configuration', `PRICE_SOURCE=onchain ${problem}`, { cure })
}

/**
 * One sentence for each variable without effect that resembles a setting. A name may differ by one
 * letter in six, two at most, because short ones such as `POST` and `HOME` are ordinary variables.
 */
export function describeMisspelt(environment: NodeJS.ProcessEnv): string[] {
  const known: readonly string[] = settingNames
  return Object.keys(environment).flatMap((name) => {
    if (!/^[A-Z\d_]+$/.test(name) || known.includes(name)) return []
    const meant = known.find((setting) => {
      const maxDistance = Math.min(2, Math.floor(setting.length / 6))
      const isNear = Math.abs(setting.length - name.length) <= maxDistance && setting[0] === name[0]
      return isNear && editDistance(name, setting) <= maxDistance
    })
    return meant === undefined ? [] : [`${name} is no setting and has no effect: did you mean ${meant}?`]
  })
}

export const findMisspelt = (environment: NodeJS.ProcessEnv): Problem[] =>
  describeMisspelt(environment).map((message) => toProblem('setting_misspelt', 'degraded', message))

/** Refuses what nobody sees, such as the carriage returns of Windows editors. */
function refuseHidden(name: SettingName, text = ''): void {
  const isSecret = /PASSWORD|SECRET/.test(name)
  if (!/\p{Cc}/u.test(text) && (isSecret || text.trim() === text)) return
  throw new CoinstrataError('invalid_configuration', `${name}: must have no blanks around it and no line ends in it`, {
    cure: `write ${name} again, in a file with the line ends of Unix`,
  })
}

/** Omits secrets and addresses that may contain one. */
function describeValue(name: string, text: string | undefined): string {
  if (text === undefined || /PASSWORD|SECRET|KEY|(DATABASE|REDIS|MAIL)_URL/.test(name) || text.includes('@')) return ''
  return `; it is '${text}'`
}

/** `GetDefaultDataDir` of Bitcoin Core. */
export function defaultNodeDatadir(
  { HOME, APPDATA, LOCALAPPDATA }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = HOME || os.homedir()
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Bitcoin')
  if (platform !== 'win32') return path.join(home, '.bitcoin')
  // Nodes before version 28 used APPDATA.
  const roaming = path.join(APPDATA || path.join(home, 'AppData', 'Roaming'), 'Bitcoin')
  return existsSync(roaming) ? roaming : path.join(LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'Bitcoin')
}
