import path from 'node:path'
import { secondsPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { requireGeneration, temporaryFolder, withWallets } from '#compute/data-folder.ts'
import { locateNode, type UpdateSettings } from '#compute/update-settings.ts'
import type { WalletReport } from '#contract/wallets.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readNodeState } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { withSession } from '#sql/session.ts'
import { reportName, walletFolder } from '#state/wallet-reports.ts'
import { findTransactions, historySchema, type WalletHistory } from './find-transactions.ts'
import { computeLedger } from './ledger.ts'
import { type Market, readMarket } from './market.ts'
import { buildReport } from './report.ts'
import { listWallets, readDerived, readWallet, writeDerived } from './wallet-folder.ts'
import { WalletNode } from './wallet-node.ts'
import { writeRows } from './write-rows.ts'

/** Throws `source_not_found` without the RPC of a node, `wrong_network`. */
export async function openWalletNode(settings: UpdateSettings): Promise<WalletNode> {
  const endpoint = locateNode(settings)?.endpoint
  if (!endpoint) {
    throw new CoinstrataError('source_not_found', 'wallets need the RPC of a node, and none is configured', {
      cure: 'start the node with server=1, or set BITCOIN_RPC_URL',
    })
  }
  const client = new RpcClient(endpoint)
  await readNodeState(client, networks[settings.network])
  return new WalletNode(client)
}

/**
 * Finds new transactions of wallets, by default of all, and writes their reports and files. One that
 * fails does not keep the others from it: its error is thrown at the end.
 */
export const updateWallets = (
  settings: UpdateSettings,
  names: readonly string[] | undefined,
  say: (text: string) => void,
): Promise<WalletReport[]> =>
  withWallets(settings.dataDir, async () => {
    const { dataDir, memory } = settings
    const node = await openWalletNode(settings)
    const limits = { temporaryFolder: temporaryFolder(dataDir), memory, threads: 1 }
    const { folder: generation } = requireGeneration(dataDir)
    const market = await withSession(limits, (connection) => readMarket(connection, generation))
    const reports: WalletReport[] = []
    const failures: CoinstrataError[] = []
    for (const name of names ?? listWallets(dataDir)) {
      try {
        reports.push(await updateWallet({ dataDir, node, market, say }, name))
      } catch (error) {
        if (!(error instanceof CoinstrataError)) throw error
        failures.push(error)
      }
    }
    const [first, ...others] = failures
    if (!first) return reports
    if (others.length === 0) throw first
    const message = failures.map((failure) => failure.message).join('; ')
    throw new CoinstrataError(first.code, message, { cure: first.cure })
  })

interface Updating {
  readonly dataDir: string
  readonly node: WalletNode
  readonly market: Market
  readonly say: (text: string) => void
}

async function updateWallet({ dataDir, node, market, say }: Updating, name: string): Promise<WalletReport> {
  const wallet = readWallet(dataDir, name)
  const file = (part: string): string => path.join(walletFolder(dataDir, name), part)
  const keep = (history: WalletHistory): void => writeDerived(file('history'), history)
  const history = await findTransactions({ node, wallet, say, keep }, readDerived(file('history'), historySchema))
  keep(history)
  const { method, labels } = wallet
  const latest = history.transactions.reduce((last, { time }) => Math.max(last, time), 0)
  const ledger = computeLedger({
    ...{ ...market, transactions: history.transactions, method },
    paid: new Map(labels.flatMap(({ ref, price }) => (price === undefined ? [] : [[ref, price]]))),
    lastDay: Math.max(market.lastDay, Math.floor(latest / secondsPerDay)),
  })
  const texts = new Map(labels.map(({ ref, label }) => [ref, label]))
  const withLabel = <Row extends { readonly txid: string }>(row: Row) => ({ ...row, label: texts.get(row.txid) ?? '' })
  writeRows(file('days'), ledger.days)
  writeRows(file('receipts'), ledger.receipts.map(withLabel))
  writeRows(file('disposals'), ledger.disposals.map(withLabel))
  const report = buildReport(name, method, history, ledger, market)
  writeDerived(file(reportName), report)
  return report
}
