import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { isoDate, secondsPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { type Kind, kindCount, kinds, kindsOf, lostTypes, sizes } from '#contract/kinds.ts'
import { carrySats } from '#ingest/chain/decoded-block.ts'
import { type Network, networks } from '#ingest/chain/networks.ts'
import { type ChainTip, readNodeState } from '#ingest/chain/node.ts'
import { dumpFromNode, readDumpFile } from '#ingest/chain/node-dump.ts'
import { heightSchema, RpcClient } from '#ingest/chain/rpc.ts'
import { readUtxoDump, type UtxoDump } from '#ingest/chain/utxo-dump.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { writeCoinComparison } from '#state/coin-proof.ts'
import { dumpFolder, folderNetwork, refuseOtherNetwork, requireGeneration, withDump } from '../data-folder.ts'
import { OpenBlocks } from '../live/open-blocks.ts'
import { openBase, type PublishedBase } from '../live/published-base.ts'
import { openTables, readUnspent, type UnspentSums } from '../live/published-tables.ts'
import type { Progress } from '../progress.ts'
import { locateNode, type UpdateSettings } from '../update-settings.ts'

export interface CoinProofOptions {
  /** Existing dump; else the node makes one. */
  readonly file?: string | undefined
  /** `txoutset_hash` of that file, as reported by the node. */
  readonly hash?: string | undefined
}

export type ProvedCoins = Awaited<ReturnType<typeof proveCoins>>

const headerSchema = z.object({ height: heightSchema, confirmations: z.int() })
/** Maximum blocks that arrive while the node writes. */
const maxNewBlocks = 1_000
const maxAttempts = 3
const maxListed = 5

/**
 * Compares value and number of the unspent outputs of every creation day and kind with the node's,
 * coin by coin, and records the proof. Continues the published state, or `opened`, to the block of
 * the dump. Throws `audit_failed` with the days that differ, `invalid_argument` for another `hash`,
 * `invalid_file`, `data_not_ready`.
 */
export async function proveCoins(
  connection: DuckDBConnection,
  settings: UpdateSettings,
  options: CoinProofOptions,
  progress: Pick<Progress, 'say'>,
  opened = requireGeneration(settings.dataDir),
) {
  const begin = performance.now()
  const { dataDir } = settings
  const { file, hash } = options
  const folder = dumpFolder(dataDir, settings.dumpFolder)
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
    const before = await openBase(connection, opened, network, client, state.tip)
    const slots = slotsOf(before, state.tip.height + maxNewBlocks)
    progress.say(
      file === undefined
        ? 'the node lists all unspent outputs (some ten minutes on mainnet, more on a slow disk)'
        : `reading ${file}`,
    )
    const dump =
      file === undefined
        ? await withDump(dataDir, () => dumpFromNode(endpoint, network, folder, expectedCoins, slots))
        : await readDumpFile(file, (chunks) => readUtxoDump(chunks, network, slots, file))
    const base = await findBase(client, dump.baseHash)
    if (base === undefined) {
      if (file === undefined && attempt < maxAttempts) continue
      const message = `block ${dump.baseHash}, after which the coins were listed, is not on the chain of the node`
      throw new CoinstrataError('wrong_chain', message, { cure: 'run it again without --file' })
    }
    if (hash !== undefined && hash !== dump.hash) {
      throw new CoinstrataError('invalid_argument', `${file} has coins with the hash ${dump.hash}, not ${hash}`, {
        cure: 'check --hash; copy the file again, or let the node write it again',
      })
    }
    const ours = await unspentAt(connection, opened, network, client, base)
    const theirs = byDay(dump, slots, ours.days, before)
    const at = new Date().toISOString()
    const difference = ours.difference ?? findDifference(ours, theirs, base)
    if (difference) {
      writeCoinComparison(dataDir, { at, proof: null })
      throw difference
    }
    const sats = dump.sats.reduce((sum, value) => sum + value, 0)
    const proof = { ...base, date: isoDate(ours.days.at(-1)!), coins: dump.coins, sats, at }
    writeCoinComparison(dataDir, { at, proof })
    return {
      ...proof,
      days: new Set([...theirs.outputs.keys()].filter((at) => theirs.outputs[at]! > 0).map(toDay)).size,
      bytes: dump.bytes,
      seconds: (performance.now() - begin) / 1000,
      /** `hash_serialized_3` of the coins. */
      coinsHash: dump.hash,
      /** Whether the node reported the same hash. */
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

/** Slot of each block: its published day, counted from the first, or a slot of its own. */
function slotsOf({ tip, times, firstDay, lastDay }: PublishedBase, maxHeight: number): Int32Array {
  return Int32Array.from({ length: maxHeight + 1 }, (_, height) =>
    height <= tip.height
      ? Math.floor(times[height]! / secondsPerDay) - firstDay
      : lastDay - firstDay + height - tip.height,
  )
}

const toDay = (at: number): number => Math.floor(at / kindCount)

interface OurSums extends UnspentSums {
  readonly firstDay: number
  /** By height. */
  readonly days: Int32Array
  /** Set if the published tables contradict each other. */
  readonly difference: CoinstrataError | undefined
}

/**
 * Unspent outputs after a block, continued from the published ones: element `day * kindCount +
 * kind`, creation days counted from the first.
 */
async function unspentAt(
  connection: DuckDBConnection,
  opened: OpenGeneration,
  network: Network,
  client: RpcClient,
  tip: ChainTip,
): Promise<OurSums> {
  const base = await openBase(connection, opened, network, client, tip)
  const chain = await new OpenBlocks().readChain(client, base, tip)
  if (!chain) throw new Error(`the blocks up to ${tip.hash} do not continue the published days`)
  const { firstDay } = base
  const { days, blocks } = chain
  const from = await openTables(opened, ['created_kinds', 'kind_flows', 'overwritten'])
  const { sats, outputs } = await readUnspent(connection, from, base, days.at(-1)! - firstDay + 1, true)
  const difference = findContradiction({ sats, outputs }, base)
  for (const [i, block] of blocks.entries()) {
    const created = (days[base.tip.height + 1 + i]! - firstDay) * kindCount
    for (let kind = 0; kind < kindCount; kind++) {
      if (lost.has(kind)) continue
      sats[created + kind]! += block.createdSats[kind]! + carrySats * block.createdCarries[kind]!
      outputs[created + kind]! += block.createdOutputs[kind]!
    }
    for (let at = 0; at < block.spentCount; at++) {
      const spent = (days[block.spentHeights[at]!]! - firstDay) * kindCount + block.spentKinds[at]!
      sats[spent]! -= block.spentSats[at]!
      outputs[spent]! -= 1
    }
  }
  return { sats, outputs, firstDay, days, difference }
}

const lost = new Set(kindsOf(...lostTypes))

/** First day on which the unspent outputs of all kinds differ from those of the flows. */
function findContradiction(
  byKind: UnspentSums,
  { unspent: { sats, outputs }, firstDay }: PublishedBase,
): CoinstrataError | undefined {
  const [satsLeft, outputsLeft] = [sats.slice(), outputs.slice()]
  for (let at = 0; at < byKind.sats.length; at++) {
    satsLeft[toDay(at)]! -= byKind.sats[at]!
    outputsLeft[toDay(at)]! -= byKind.outputs[at]!
  }
  const different = satsLeft.findIndex((left, day) => left !== 0 || outputsLeft[day] !== 0)
  if (different < 0) return undefined
  const date = isoDate(firstDay + different)
  const message = `unspent outputs of ${date} are not the same by kind (kind_flows) as without kinds (flows)`
  return new CoinstrataError('audit_failed', message, { cure })
}

/** Throws `invalid_file` for coins of blocks after the dump's own. `days` belong to its chain. */
function byDay(dump: UtxoDump, slots: Int32Array, days: Int32Array, { firstDay, lastDay }: PublishedBase): UnspentSums {
  const length = (days.at(-1)! - firstDay + 1) * kindCount
  const [sats, outputs] = [new Float64Array(length), new Float64Array(length)]
  let found = 0
  let last = -1
  for (const [height, day] of days.entries()) {
    const slot = slots[height]!
    if (slot <= lastDay - firstDay && slot !== day - firstDay) {
      throw new CoinstrataError('wrong_chain', `block ${height} was replaced while the coins were listed`, {
        cure: 'run it again',
      })
    }
    if (slot === last) continue
    last = slot
    const from = slot * kindCount
    for (let kind = 0; kind < kindCount; kind++) {
      const at = (day - firstDay) * kindCount + kind
      sats[at]! += dump.sats[from + kind]!
      outputs[at]! += dump.outputs[from + kind]!
      found += dump.outputs[from + kind]!
    }
  }
  const late = dump.coins - found
  if (late === 0) return { sats, outputs }
  throw new CoinstrataError('invalid_file', `the dump has ${late} coins of blocks after its own, ${days.length - 1}`, {
    cure: 'let the node write it again',
  })
}

function findDifference(ours: OurSums, theirs: UnspentSums, base: ChainTip): CoinstrataError | undefined {
  const differing = [...ours.sats.keys()].filter(
    (at) => ours.sats[at] !== theirs.sats[at] || ours.outputs[at] !== theirs.outputs[at],
  )
  if (differing.length === 0) return undefined
  const listed = differing.slice(0, maxListed).map((at) => {
    const created = `${isoDate(ours.firstDay + toDay(at))} (${nameOf(kinds[at % kindCount]!)})`
    return `${created} ours ${ours.sats[at]} sat in ${ours.outputs[at]}, the node's ${theirs.sats[at]} in ${theirs.outputs[at]}`
  })
  const more = differing.length > maxListed ? `; and ${differing.length - maxListed} more` : ''
  return new CoinstrataError(
    'audit_failed',
    `unspent outputs of ${new Set(differing.map(toDay)).size} days of creation differ from the coins of the node after block ${base.height}: ${listed.join('; ')}${more}`,
    { cure },
  )
}

const cure =
  'run "coinstrata audit --verify", which looks for damage; if it finds none, remove raw/segments and run "coinstrata update"'

const nameOf = ({ scriptType, size, mined }: Kind): string =>
  `${scriptType}${mined ? ', mined' : ''}, from ${sizes[size]} sat`
