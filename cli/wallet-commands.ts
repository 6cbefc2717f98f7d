import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { CoinstrataError } from '#base/errors.ts'
import { formatDecimals } from '#base/quantities.ts'
import { textTable } from '#base/text-table.ts'
import { refuseOtherNetwork } from '#compute/data-folder.ts'
import { type CostMethod, costMethods, type WalletReport } from '#contract/wallets.ts'
import { readText } from '#ingest/market/csv.ts'
import type { Settings } from '#root/config.ts'
import { readWalletReports } from '#state/wallet-reports.ts'
import { hasWallet, listWallets, readWallet, removeWallet, writeWallet } from '#wallets/wallet-folder.ts'
import { defineCommand, definePrintingCommand, flags, sourceFlags } from './flags.ts'
import { createOutput } from './output.ts'
import type { ProcessContext } from './process-context.ts'
import { toUpdateSettings } from './steps.ts'

const maxTextBytes = 16_000_000
const noWallet = 'there is no wallet: run "wallet add"\n'
const readReports = (dataDir: string) => readWalletReports(dataDir).map((text): WalletReport => JSON.parse(text))

export function addWalletCommands(program: Command, context: ProcessContext): void {
  const { environment, stdout } = context
  const nodeFlags = [...flags, ...sourceFlags]
  const wallet = program.command('wallet').description('your coins against the market, for you alone (docs/wallets.md)')
  const method = new Option('--method <method>', 'coins that leave first: the oldest of those spent, or of all (fifo)')
  defineCommand(
    wallet
      .command('add <name> [what...]')
      .description('watch descriptors, extended public keys or addresses: text, files, or by default standard input')
      .addOption(method.choices(costMethods).default('output')),
    nodeFlags,
    environment,
    async (settings, { method }: { method: CostMethod }, [name = '', ...what]) => {
      await addWallet(settings, context, name, { what, method })
      stdout.write(await update(settings, context, [name]))
      stdout.write('your service shows it to you alone: open its page /wallets\n')
    },
  )
  defineCommand(
    wallet.command('update [name]').description('find new transactions of all wallets or one; "update" does it, too'),
    nodeFlags,
    environment,
    async (settings, _, [name]) =>
      void stdout.write(await update(settings, context, name === undefined ? undefined : [name])),
  )
  definePrintingCommand(
    wallet.command('list').description('names of all wallets, and the block of their last update'),
    context,
    async ({ DATA_DIR: dataDir }) => {
      const reports = new Map(readReports(dataDir).map((report) => [report.name, report]))
      const rows = listWallets(dataDir).map((name) => {
        const { descriptors, method } = readWallet(dataDir, name)
        const { way = '', tip_height = 'not computed yet' } = reports.get(name) ?? {}
        return [name, `${descriptors.length}`, method, way, `${tip_height}`]
      })
      return rows.length > 0 ? textTable(['wallet', 'descriptors', 'method', 'way', 'block'], rows) : noWallet
    },
  )
  definePrintingCommand(
    wallet.command('show [name]').description('all wallets or one and the market, as of the last update'),
    context,
    async ({ DATA_DIR: dataDir }, _, [name]) => {
      const reports = readReports(dataDir)
      if (name !== undefined) readWallet(dataDir, name)
      const shown = reports.filter((report) => report.name === (name ?? report.name)).map(describe)
      if (shown.length > 0) return shown.join('')
      return listWallets(dataDir).length > 0 ? 'not computed yet: run "wallet update"\n' : noWallet
    },
  )
  definePrintingCommand(
    wallet.command('remove <name>').description('delete a wallet with all its files; its coins stay where they are'),
    context,
    async ({ DATA_DIR: dataDir }, _, [name = '']) => removeWallet(dataDir, name),
  )
}

async function update(settings: Settings, context: ProcessContext, names?: readonly string[]): Promise<string> {
  if (!names && listWallets(settings.DATA_DIR).length === 0) return ''
  const { updateWallets } = await import('#wallets/update-wallets.ts')
  const { log } = createOutput(settings, context)
  const reports = await updateWallets(toUpdateSettings(settings, context.environment), names, (text) => log.info(text))
  return reports.map(describe).join('')
}

/** After a publication. A failure is logged: what is published does not depend on wallets. */
export async function refreshWallets(settings: Settings, context: ProcessContext): Promise<void> {
  await update(settings, context).catch((error: unknown) => {
    if (!(error instanceof CoinstrataError)) throw error
    const { code, cure, message } = error
    createOutput(settings, context).log.error({ code, cure }, `wallets are as before: ${message}`)
  })
}

interface Added {
  readonly what: readonly string[]
  readonly method: CostMethod
}

/** Labels alone are added to a wallet that exists. */
async function addWallet(settings: Settings, context: ProcessContext, name: string, added: Added): Promise<void> {
  const { DATA_DIR: dataDir, BITCOIN_NETWORK: network } = settings
  const { parseSources } = await import('#wallets/parse-sources.ts')
  const texts = added.what.map((text, i) => {
    if (existsSync(text)) return { name: `file ${i + 1}`, text: readText(text, maxTextBytes) }
    return { name: `argument ${i + 1} (no file)`, text }
  })
  if (texts.length === 0) texts.push({ name: 'standard input', text: await text(process.stdin) })
  const { descriptors, labels } = parseSources(texts, network)
  if (hasWallet(dataDir, name) === descriptors.length > 0) {
    const message = descriptors.length > 0 ? `there is a wallet ${name}` : 'there is no descriptor, key or address'
    const cure =
      'give the descriptors of a new wallet, or labels for one that there is; "wallet update" continues its search, "wallet remove" deletes it'
    throw new CoinstrataError('invalid_argument', message, { cure })
  }
  if (descriptors.length === 0) {
    const wallet = readWallet(dataDir, name)
    return writeWallet(dataDir, name, { ...wallet, labels: [...wallet.labels, ...labels] })
  }
  refuseOtherNetwork(dataDir, network)
  const { checkDescriptors } = await import('#wallets/wallet-node.ts')
  const { openWalletNode } = await import('#wallets/update-wallets.ts')
  const node = await openWalletNode(toUpdateSettings(settings, context.environment))
  const checked = await checkDescriptors(node, descriptors)
  writeWallet(dataDir, name, { network, method: added.method, descriptors: checked, labels })
}

const digits = { BTC: 8, USD: 2, 'USD per BTC': 2, ratio: 3, percent: 1, days: 1, count: 0 } as const

function describe({ name, way, method, tip_height, date, figures }: WalletReport): string {
  const rows = figures.map(({ name: title, unit, mine, market }) => {
    const show = (value: number): string => (Number.isNaN(value) ? 'not known' : formatDecimals(value, digits[unit]))
    const cells = [mine, ...market].map((value) => show(value ?? Number.NaN))
    return [title, unit, ...cells, '', '', ''].slice(0, 6)
  })
  const known = way === 'blocks' ? '' : '; only coins that are unspent now are known'
  const head = ['', '', name, 'all coins', 'long-term', 'short-term']
  return `${textTable(head, rows)}on ${date}, block ${tip_height}, method ${method}${known}\n`
}
