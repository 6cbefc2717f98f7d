import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { CoinstrataError } from '#base/errors.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import { type Network, networks } from '#ingest/chain/networks.ts'
import { blockAmounts } from '#ingest/chain/verify-unit.ts'
import { readColumns } from '#sql/columns.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import type { Generation, OpenGeneration } from '#sql/generation.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { readFooter, rowCount } from '#sql/parquet-footer.ts'
import { filesRelation } from '#sql/relation.ts'
import { type ProvedBlocks, withProvedSegments } from '#state/proved-segments.ts'
import { folderNetwork, refuseOtherNetwork, requireGeneration } from '../data-folder.ts'
import type { Progress } from '../progress.ts'
import { readScannedChain } from '../scan/scanned-chain.ts'
import { simulatedSource } from '../scan/simulated-node.ts'
import { locateNode, type UpdateSettings } from '../update-settings.ts'
import { auditTables, compareWithNode } from './audit.ts'
import { type NodeUnspent, readNodeUnspent } from './node-unspent.ts'
import { findOverwritten } from './overwritten.ts'
import { type PublishedBlocks, type VerifiedChain, verifyChain } from './verify-chain.ts'

export type AuditFinding =
  | { readonly of: 'tables'; readonly generation: Generation; readonly bytes: number }
  | ({ readonly of: 'amounts' } & Awaited<ReturnType<typeof auditTables>>)
  | ({ readonly of: 'node' } & NodeUnspent)
  | ChainFinding

/** Blocks checked against their hashes, and the number proved so far. */
export type ChainFinding = { readonly of: 'chain'; readonly proved: ProvedBlocks } & VerifiedChain

const auditedTables = ['flows', 'days', 'cohorts'] as const

interface Published {
  readonly current: OpenGeneration
  readonly network: Network
  readonly source: ChainSource | undefined
}

/**
 * Audits the current generation: files, amounts against each other and against the node, and with
 * `verify` every block of its chain. Yields each passed check. Throws `audit_failed`,
 * `block_corrupt`, `data_not_ready`.
 */
export async function* auditPublished(
  connection: DuckDBConnection,
  settings: UpdateSettings,
  verify: boolean,
  progress: Progress,
): AsyncGenerator<AuditFinding> {
  const published = openPublished(settings)
  const { current, network, source } = published
  const { generation } = current
  const { tip } = generation
  yield { of: 'tables', generation, bytes: await checkFiles(current) }

  const blocks = filesRelation('blocks', [tableFile(current, 'blocks')])
  const others = auditedTables.map((table) => filesRelation(table, [tableFile(current, table)]))
  const ours = { height: tip.height, supplySats: tip.supply_sats, utxoCount: tip.utxo_count }
  const from = [blocks, ...others, findOverwritten(network, blocks)]
  yield { of: 'amounts', ...(await auditTables(connection, from, network, ours)) }

  const answer = await readNodeUnspent(source, network, tip, progress)
  if (answer.unspent) compareWithNode(ours, answer.unspent)
  yield { of: 'node', ...answer }

  if (verify) yield await verifyPublished(connection, settings, published, false, progress)
}

/** Proves the unproved blocks of the current generation, continuing an interrupted run. */
export const provePublished = async (
  connection: DuckDBConnection,
  settings: UpdateSettings,
  progress: Progress,
): Promise<ChainFinding> => verifyPublished(connection, settings, openPublished(settings), true, progress)

async function verifyPublished(
  connection: DuckDBConnection,
  { dataDir, addresses: set = 'off' }: UpdateSettings,
  { current, network, source }: Published,
  unprovedOnly: boolean,
  progress: Progress,
): Promise<ChainFinding> {
  if (!source) {
    throw new CoinstrataError('source_not_found', 'found no node whose blocks could be verified', {
      cure: 'name its data directory with --datadir (BITCOIN_DATADIR), or its RPC with --rpc-url',
    })
  }
  const { tip } = current.generation
  const published = await publishedBlocks(connection, tableFile(current, 'blocks'))
  return withProvedSegments(dataDir, async (registry) => {
    const { addresses = set } = readScannedChain(dataDir) ?? {}
    const options = { source, dataDir, network, tip, published, registry, unprovedOnly, addresses, progress }
    const verified = await verifyChain(options)
    return { of: 'chain', ...verified, proved: registry.counts }
  })
}

function openPublished(settings: UpdateSettings): Published {
  const { dataDir } = settings
  const current = requireGeneration(dataDir)
  const isSimulated = settings.source === 'simulated' || folderNetwork(dataDir) === 'simulated'
  const network = isSimulated ? 'simulated' : settings.network
  refuseOtherNetwork(dataDir, network)
  return {
    current,
    network: networks[network],
    source: isSimulated ? simulatedSource(dataDir) : locateNode(settings),
  }
}

async function publishedBlocks(connection: DuckDBConnection, file: string): Promise<PublishedBlocks> {
  const table = parquetFiles([file])
  const rows = await connection.runAndReadAll(`SELECT hash FROM ${table} ORDER BY height`)
  const hashes = rows.getRows().map(([hash]) => String(hash))
  const columns = await readColumns(
    connection,
    `SELECT ${blockAmounts.map((name) => `${name}::DOUBLE AS ${name}`).join(', ')}
     FROM (SELECT *, spent_sats - fees_sats AS paid_sats FROM ${table}) ORDER BY height`,
  )
  const amounts = new Float64Array(hashes.length * blockAmounts.length)
  for (const [i, name] of blockAmounts.entries()) {
    columns[name]!.forEach((value, height) => {
      amounts[height * blockAmounts.length + i] = value
    })
  }
  return { hashes, amounts }
}

const tableFile = ({ folder }: OpenGeneration, table: string): string => path.join(folder, `${table}.parquet`)

/** Returns the total bytes. Throws `audit_failed` if a file differs from `generation.json`. */
async function checkFiles(current: OpenGeneration): Promise<number> {
  let total = 0
  for (const [table, published] of Object.entries(current.generation.tables)) {
    const file = tableFile(current, table)
    const change = await describeFileChange(file, published)
    if (change !== undefined) throw fileChanged(change)
    const rows = rowCount(readFooter(file).metadata)
    if (rows !== published.rows) throw fileChanged(`${file} has ${rows} rows, but ${published.rows} were published`)
    total += published.bytes
  }
  return total
}

const fileChanged = (what: string): CoinstrataError =>
  new CoinstrataError('audit_failed', `the audit failed: ${what}`, {
    cure: 'run "coinstrata compute", which publishes every table again, and check the health of the disk',
  })
