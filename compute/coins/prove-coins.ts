import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { CoinProof } from '#contract/coin-proof.ts'
import { networks } from '#ingest/chain/networks.ts'
import { type ChainTip, readNodeState } from '#ingest/chain/node.ts'
import { dumpFromNode, readDumpFile } from '#ingest/chain/node-dump.ts'
import { heightSchema, RpcClient } from '#ingest/chain/rpc.ts'
import { readUtxoDump, type UtxoDump } from '#ingest/chain/utxo-dump.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { writeCoinComparison } from '#state/coin-proof.ts'
import { dumpFolder, folderNetwork, refuseOtherNetwork, requireGeneration, withDump } from '../data-folder.ts'
import { OpenBlocks } from '../live/open-blocks.ts'
import { openBase } from '../live/published-base.ts'
import type { Progress } from '../progress.ts'
import { locateNode, type UpdateSettings } from '../update-settings.ts'

export interface CoinProofOptions {
  /** A dump that was made before; else the node makes one. */
  readonly file?: string | undefined
  /** `txoutset_hash` of that file, as the node said it. */
  readonly hash?: string | undefined
  /** Below it comes the pipe or file of the node; default: the data folder. */
  readonly dumpFolder?: string | undefined
}

export interface ProvedCoins extends CoinProof {
  readonly days: number
  readonly bytes: number
  readonly seconds: number
  /** `hash_serialized_3` of the coins. */
  readonly coinsHash: string
  /** Whether the node said the same hash. */
  readonly isHashKnown: boolean
}

/** Value and number of unspent outputs, by day of creation counted from the first. */
interface DailySums {
  readonly sats: Float64Array
  readonly outputs: Float64Array
}

const headerSchema = z.object({ height: heightSchema, confirmations: z.int() })
/** Blocks that may come while the node writes. */
const maxNewBlocks = 1_000
const maxAttempts = 3
const maxListed = 5

/**
 * Compares the value and number of the unspent outputs of every day of creation with those that the node lists, one by one,
 * and records the proof. What was published is continued to the block of the dump. Throws `audit_failed` with the days that
 * differ, `invalid_file`, `source_not_found`, `data_not_ready`, `rpc_failed`.
 */
export async function proveCoins(
  connection: DuckDBConnection,
  settings: UpdateSettings,
  options: CoinProofOptions,
  progress: Progress,
): Promise<ProvedCoins> {
  const begin = performance.now()
  const { dataDir } = settings
  const { file, hash } = options
  const opened = requireGeneration(dataDir)
  const folder = dumpFolder(dataDir, options.dumpFolder)
  const expectedCoins = opened.generation.tip.utxo_count
  const { network, endpoint } = findNode(settings)
  const client = new RpcClient(endpoint, progress.say)
  for (let attempt = 1; ; attempt++) {
    const state = await readNodeState(client, network)
    if (state.isSnapshotUnvalidated) {
      throw new CoinstrataError('data_not_ready', 'the node still validates the history before its snapshot', {
        cure: 'run it again when the node has validated all blocks',
      })
    }
    const maxHeight = state.tip.height + maxNewBlocks
    progress.say(
      file === undefined
        ? 'the node lists all unspent outputs (some ten minutes on mainnet, more on a slow disk)'
        : `reading ${file}`,
    )
    const dump =
      file === undefined
        ? await withDump(dataDir, () => dumpFromNode(endpoint, network, folder, expectedCoins, maxHeight))
        : await readDumpFile(file, (chunks) => readUtxoDump(chunks, network, maxHeight, file))
    const base = await findBase(client, dump.baseHash)
    if (base === undefined) {
      if (file === undefined && attempt < maxAttempts) continue
      throw new CoinstrataError(
        'wrong_chain',
        `block ${dump.baseHash}, after which the coins were listed, is not on the chain of the node`,
        {
          cure: 'run it again without --file',
        },
      )
    }
    if (hash !== undefined && hash !== dump.hash) {
      throw new CoinstrataError('audit_failed', `${file} has coins with the hash ${dump.hash}, not ${hash}`, {
        cure: 'copy the file again, or let the node write it again',
      })
    }
    const ours = await unspentAt(connection, opened, client, base)
    const theirs = byDay(dump, ours.days, ours.firstDay)
    const at = new Date().toISOString()
    const difference = findDifference(ours, theirs, base)
    if (difference) {
      writeCoinComparison(dataDir, { at, proof: null })
      throw difference
    }
    const sats = dump.sats.reduce((sum, value) => sum + value, 0)
    const proof = {
      ...base,
      date: isoDate(ours.days.at(-1)!),
      ...{ coins: dump.coins, sats, at },
    }
    writeCoinComparison(dataDir, { at, proof })
    return {
      ...proof,
      days: theirs.outputs.filter((outputs) => outputs > 0).length,
      bytes: dump.bytes,
      seconds: (performance.now() - begin) / 1000,
      coinsHash: dump.hash,
      isHashKnown: file === undefined || hash !== undefined,
    }
  }
}

function findNode(settings: UpdateSettings) {
  const { dataDir } = settings
  if (settings.source === 'simulated' || folderNetwork(dataDir) === 'simulated') {
    throw new CoinstrataError('source_not_found', 'the chain is simulated, so no node lists its coins', {
      cure: 'use a data folder of a real network',
    })
  }
  refuseOtherNetwork(dataDir, settings.network)
  const endpoint = locateNode(settings)?.endpoint
  if (endpoint) return { network: networks[settings.network], endpoint }
  throw new CoinstrataError('source_not_found', 'the coins are listed by a node, and no RPC of one is configured', {
    cure: 'start the node with server=1, or name its RPC with --rpc-url (BITCOIN_RPC_URL)',
  })
}

/** Undefined if the block is not on the node's chain. */
async function findBase(client: RpcClient, hash: string): Promise<ChainTip | undefined> {
  const { height, confirmations } = await client.call('getblockheader', [hash], headerSchema)
  return confirmations < 0 ? undefined : { height, hash }
}

/** What is published, continued to a block: the unspent outputs after it by day of creation, and the day of every block. */
async function unspentAt(
  connection: DuckDBConnection,
  opened: OpenGeneration,
  client: RpcClient,
  tip: ChainTip,
): Promise<DailySums & { readonly firstDay: number; readonly days: Int32Array }> {
  const base = await openBase(connection, opened, client, tip)
  const chain = await new OpenBlocks().readChain(client, base, tip)
  if (!chain) throw new Error(`the blocks up to ${tip.hash} do not continue the published days`)
  const { firstDay } = base
  const { days, blocks } = chain
  const length = days.at(-1)! - firstDay + 1
  const [sats, outputs] = [new Float64Array(length), new Float64Array(length)]
  sats.set(base.unspentSats)
  outputs.set(base.unspentOutputs)
  for (const [i, block] of blocks.entries()) {
    const day = days[base.tip.height + 1 + i]! - firstDay
    outputs[day]! += block.outputCount - block.unspendableOutputs
    sats[day]! -= block.unspendableSats
    for (let at = 0; at < block.transactionCount; at++) sats[day]! += block.outputSats[at]!
    for (let at = 0; at < block.spentCount; at++) {
      const created = days[block.spentHeights[at]!]! - firstDay
      sats[created]! -= block.spentSats[at]!
      outputs[created]! -= 1
    }
  }
  return { sats, outputs, firstDay, days }
}

function byDay(dump: UtxoDump, days: Int32Array, firstDay: number): DailySums {
  const length = days.at(-1)! - firstDay + 1
  const [sats, outputs] = [new Float64Array(length), new Float64Array(length)]
  for (const [height, day] of days.entries()) {
    sats[day - firstDay]! += dump.sats[height]!
    outputs[day - firstDay]! += dump.outputs[height]!
  }
  const late = dump.outputs.subarray(days.length).reduce((sum, count) => sum + count, 0)
  if (late === 0) return { sats, outputs }
  throw new CoinstrataError('invalid_file', `the dump has ${late} coins of blocks after its own, ${days.length - 1}`, {
    cure: 'let the node write it again',
  })
}

function findDifference(
  ours: DailySums & { readonly firstDay: number },
  theirs: DailySums,
  base: ChainTip,
): CoinstrataError | undefined {
  const differing = [...ours.sats.keys()].filter(
    (day) => ours.sats[day] !== theirs.sats[day] || ours.outputs[day] !== theirs.outputs[day],
  )
  if (differing.length === 0) return undefined
  const listed = differing.slice(0, maxListed).map((day) => {
    const created = isoDate(ours.firstDay + day)
    return `${created} ours ${ours.sats[day]} sat in ${ours.outputs[day]}, the node's ${theirs.sats[day]} in ${theirs.outputs[day]}`
  })
  const more = differing.length > maxListed ? `; and ${differing.length - maxListed} more` : ''
  return new CoinstrataError(
    'audit_failed',
    `unspent outputs of ${differing.length} days of creation differ from the coins of the node after block ${base.height}: ${listed.join('; ')}${more}`,
    {
      cure: 'run "coinstrata audit --verify", which looks for damage; if it finds none, remove raw/segments and run "coinstrata update"',
    },
  )
}
