import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { btcToSats } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { formatCount, formatDuration } from '#base/quantities.ts'
import { decodeAddress } from '#ingest/chain/address-script.ts'
import { networks } from '#ingest/chain/networks.ts'
import { type ChainTip, readNodeState } from '#ingest/chain/node.ts'
import { amountSchema, hashSchema, heightSchema, ifOffered } from '#ingest/chain/rpc.ts'
import type { Wallet } from './wallet-folder.ts'
import { ifAccepted, NodeRefusal, type WalletNode } from './wallet-node.ts'

const transactionSchema = z.object({
  txid: z.string(),
  height: z.int(),
  /** Time in the block's header, in unix seconds. */
  time: z.int(),
  /** Fee of the whole transaction; 0 for a coinbase. */
  fee_sats: z.int(),
  is_coinbase: z.boolean(),
  /** Own outputs that it spends: `txid:vout`. */
  spent: z.array(z.string()),
  /** Own outputs that it creates. */
  created: z.array(z.object({ vout: z.int(), sats: z.int() })),
})
export type WalletTransaction = z.infer<typeof transactionSchema>

export const historySchema = z.object({
  /** `blocks`: every receipt and spend; `unspent`: only what is unspent, as a pruned node knows it. */
  way: z.enum(['blocks', 'unspent']),
  tip: z.object({ height: z.int(), hash: z.string() }),
  /** Addresses that were searched, by descriptor; none if scripts have none, or several. */
  addresses: z.record(z.string(), z.array(z.string())),
  /** Own scripts that appeared on the chain, in hexadecimal. */
  scripts: z.array(z.string()),
  /** By height and id. */
  transactions: z.array(transactionSchema),
})
export type WalletHistory = z.infer<typeof historySchema>

export interface Search {
  readonly node: WalletNode
  readonly wallet: Pick<Wallet, 'network' | 'descriptors'>
  /** Unused scripts to search after the last one that appeared. */
  readonly gap?: number
  /** Blocks to read between calls of `keep`. */
  readonly passBlocks?: number
  readonly say: (text: string) => void
  /** Called with the history so far, from which a later call continues. */
  readonly keep?: (history: WalletHistory) => void
}
const defaultGap = 200
/** A minute's work. */
const defaultPassBlocks = 10_000
const maxAttempts = 5

/**
 * Finds the transactions of a wallet up to the node's tip, continuing from an earlier history.
 * Throws `data_not_ready` if the node lacks blocks by now, `rpc_failed`.
 */
export async function findTransactions(search: Search, known?: WalletHistory): Promise<WalletHistory> {
  const { node, wallet } = search
  let history = known
  for (let failures = 0; ; ) {
    const { tip, firstStored, isSnapshotUnvalidated } = await readNodeState(node.client, networks[wallet.network])
    const isOnChain = async () => (await ifAccepted(node.call('getblockhash', [tip.height], hashSchema))) === tip.hash
    try {
      const hasBlocks = firstStored === 0 && !isSnapshotUnvalidated && (await offersActivity(node))
      if (!hasBlocks && history?.way === 'blocks') throw blocksLost
      if (!hasBlocks) return await findUnspent(search)
      history = await searchBlocks(search, tip, history)
      if (history.tip.height === tip.height && (await isOnChain())) return history
      search.keep?.(history)
    } catch (error) {
      if (!(error instanceof NodeRefusal) || ++failures === maxAttempts || (await isOnChain())) throw error
    }
  }
}

/** A history that was found in blocks says more than what is unspent. */
const blocksLost = new CoinstrataError('data_not_ready', 'the node lacks old blocks or getdescriptoractivity by now', {
  cure: 'wait until the node has validated its snapshot, if it has one; or use a node with all blocks and Bitcoin Core 29 or newer; or remove the wallet and add it again for what is unspent',
})

const indexName = 'basic block filter index'
const indexSchema = z.object({ [indexName]: z.object({ best_block_height: heightSchema }).optional() })

/** −1 without an index of block filters. */
const readIndexedHeight = async (node: WalletNode): Promise<number> =>
  (await node.call('getindexinfo', [indexName], indexSchema))[indexName]?.best_block_height ?? -1

const scriptSchema = z.object({ hex: z.string() }).optional()
const activitySchema = z.object({
  activity: z.array(
    z.object({
      blockhash: hashSchema,
      height: heightSchema,
      txid: hashSchema.optional(),
      spend_txid: hashSchema.optional(),
      output_spk: scriptSchema,
      prevout_spk: scriptSchema,
    }),
  ),
})

const offersActivity = async (node: WalletNode): Promise<boolean> =>
  (await ifOffered(node.client.call('getdescriptoractivity', [[], [], false], activitySchema))) !== undefined

const pauseMs = 1_000
const maxScanWaits = 600

/** The node runs one scan at a time: waits for those of other programs. */
async function scan<T>(node: WalletNode, method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
  for (let waits = 0; ; waits++) {
    try {
      return await node.call(method, ['start', ...params], schema)
    } catch (error) {
      const isBusy = error instanceof NodeRefusal && /in progress/.test(error.reason)
      if (!isBusy || waits === maxScanWaits) throw error
      await sleep(pauseMs)
    }
  }
}

type Addresses = Readonly<Record<string, string[]>>

/** Scripts to search of a descriptor if it is not known which were used. */
const fixedRange = 1_000

/** Scripts not searched yet. A node derives ranges at each call, which takes longer than a scan. */
const toScanObjects = ({ wallet }: Search, addresses: Addresses, searched: Addresses = {}): unknown[] =>
  wallet.descriptors.flatMap(({ descriptor, is_range, used }): unknown[] => {
    const [all = [], known] = [addresses[descriptor], searched[descriptor]]
    if (all.length > 0) return all.slice(known?.length).map((address) => `addr(${address})`)
    if (known) return []
    return is_range ? [{ desc: descriptor, range: [0, Math.max(used, fixedRange) - 1] }] : [descriptor]
  })

const toScript = (address: string): string => Buffer.from(decodeAddress(address)?.script ?? []).toString('hex')

/** Addresses to search by descriptor, so that enough follow the last one that appeared. */
async function derive(search: Search, scripts: ReadonlySet<string>, searched: Addresses, first = 0) {
  const { node, wallet, gap = defaultGap } = search
  const derived: Record<string, string[]> = {}
  for (const { descriptor, is_range, used } of wallet.descriptors) {
    let all = searched[descriptor]
    while (is_range && (!all?.length || all.slice(-gap).some((address) => scripts.has(toScript(address))))) {
      // Doubled, because each growth is a search of the whole chain.
      const [from, end] = all?.length ? [all.length, 2 * all.length] : [0, Math.max(used, gap, first)]
      const call = node.call('deriveaddresses', [descriptor, [from, end - 1]], z.array(z.string()))
      const added = await ifAccepted(call)
      // Scripts may have no address, and those of `combo` have three.
      if (added?.length !== end - from) break
      all = [...(all ?? []), ...added]
    }
    derived[descriptor] = all ?? []
  }
  return derived
}

const blocksSchema = z.object({ to_height: heightSchema, relevant_blocks: z.array(hashSchema), completed: z.boolean() })
const blocksPerCall = 100
/** A payment to thousands of recipients is a megabyte of JSON. */
const transactionsPerCall = 20
/** The coinbase of the block before cannot be spent. */
const firstHeight = 1
/**
 * Newest blocks to read whole. `scanblocks` skips blocks that the index lacks, such as those that
 * replaced others a moment ago, and still says that it is complete.
 */
const recentBlocks = 10

/**
 * Calls `work` with parts of a list of blocks, two at a time, because a node answers a call in one
 * thread. Both have every other block, so that the disk reads from one place.
 */
async function inParts(hashes: readonly string[], work: (part: readonly string[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < hashes.length; at += 2 * blocksPerCall) {
    const both = hashes.slice(at, at + 2 * blocksPerCall)
    const parts = [0, 1].map((part) => both.filter((_, i) => i % 2 === part)).filter(({ length }) => length > 0)
    await Promise.all(parts.map(work))
  }
}

/**
 * Reads the blocks that concern the wallet: those that the node's index of block filters names, and
 * all blocks that it lacks, at most `passBlocks` at a time.
 */
async function searchBlocks(search: Search, tip: ChainTip, known?: WalletHistory): Promise<WalletHistory> {
  const { node, say, passBlocks = defaultPassBlocks } = search
  const scripts = new Set<string>()
  const transactions = new Map<string, WalletTransaction>()
  const fork = known?.way === 'blocks' ? await findFork(node, known.tip, tip) : undefined
  const indexed = Math.min(await readIndexedHeight(node), tip.height) - recentBlocks
  const end = Math.min(tip.height, Math.max(indexed, fork ?? 0) + passBlocks)

  const hashesAt = (from: number, count: number, step = 1): Promise<string[]> => {
    const heights = Array.from({ length: count }, (_, i) => [from + i * step])
    return node.callEach('getblockhash', heights, z.array(hashSchema))
  }
  // Before any block is read, so that a block that is replaced meanwhile is not taken for read.
  const [hash = ''] = end === tip.height ? [tip.hash] : await hashesAt(end, 1)

  const read = async (objects: readonly unknown[], from: number): Promise<void> => {
    if (objects.length === 0) return
    const activityIn = (hashes: readonly string[]) =>
      node.call('getdescriptoractivity', [hashes, objects, false], activitySchema)

    const readBlocks = async (hashes: readonly string[]): Promise<void> => {
      const { activity } = await activityIn(hashes)
      const touched = new Map<string, { readonly blockhash: string; readonly height: number }>()
      for (const { txid, spend_txid, output_spk, prevout_spk, ...place } of activity) {
        scripts.add((output_spk ?? prevout_spk)?.hex ?? '')
        touched.set(txid ?? spend_txid ?? '', place)
      }
      // Activity has neither fees nor times, and only what the searched scripts receive and spend.
      const params = Array.from(touched, ([txid, { blockhash }]) => [txid, 2, blockhash])
      for (let first = 0; first < params.length; first += transactionsPerCall) {
        const part = params.slice(first, first + transactionsPerCall)
        for (const raw of await node.callEach('getrawtransaction', part, z.array(rawSchema)))
          transactions.set(raw.txid, toTransaction(raw, touched.get(raw.txid)!.height, scripts))
      }
    }

    if (from <= indexed) {
      if (indexed - from > blocksPerCall) say(`the node searches blocks ${from} to ${indexed}`)
      const found = await scan(node, 'scanblocks', [objects, from, indexed], blocksSchema)
      if (!found.completed || found.to_height !== indexed) {
        throw new CoinstrataError('rpc_failed', `the node stopped its search at block ${found.to_height}`, {
          cure: 'run "coinstrata wallet update"; somebody may have ended the scan',
        })
      }
      await inParts(found.relevant_blocks, readBlocks)
    }
    const first = Math.max(from, indexed + 1)
    const perSample = Math.floor((tip.height - first) / (2 * blocksPerCall))
    if (perSample > 10) {
      const started = performance.now()
      await inParts(await hashesAt(first, 2 * blocksPerCall, perSample), activityIn)
      const left = formatDuration((perSample * (performance.now() - started)) / 1000)
      const hint = fork === undefined ? '; blockfilterindex=1 in bitcoin.conf shortens this' : ''
      say(`the node reads blocks ${formatCount(first)} to ${formatCount(tip.height)}, about ${left} left${hint}`)
    }
    for (let at = first; at <= end; at += 2 * blocksPerCall)
      await inParts(await hashesAt(at, Math.min(2 * blocksPerCall, end + 1 - at)), readBlocks)
  }

  let [searched, isGrowing]: [Addresses, boolean] = [{}, true]
  if (known && fork !== undefined) {
    for (const script of known.scripts) scripts.add(script)
    for (const each of known.transactions) if (each.height <= fork) transactions.set(each.txid, each)
    searched = known.addresses
    await read(toScanObjects(search, searched), fork + 1)
    isGrowing = scripts.size > known.scripts.length
  }
  while (isGrowing) {
    // Without an index, each growth reads all blocks.
    const addresses = await derive(search, scripts, searched, indexed < 0 ? fixedRange : 0)
    const added = toScanObjects(search, addresses, searched)
    await read(added, firstHeight)
    searched = addresses
    isGrowing = added.length > 0
  }
  const found = { scripts: [...scripts], transactions: inOrder(transactions.values()) }
  return { way: 'blocks', tip: { height: end, hash }, addresses: searched, ...found }
}

const headerSchema = z.object({
  confirmations: z.int(),
  height: heightSchema,
  time: z.int(),
  previousblockhash: hashSchema.optional(),
})
const readHeader = (node: WalletNode, hash: string) => ifAccepted(node.call('getblockheader', [hash], headerSchema))

/** Height of the last common block; undefined if the node does not know the old one. */
async function findFork(node: WalletNode, { hash }: ChainTip, tip: ChainTip): Promise<number | undefined> {
  for (
    let header = await readHeader(node, hash);
    header;
    header = await readHeader(node, header.previousblockhash ?? '')
  )
    if (header.confirmations >= 0 && header.height <= tip.height) return header.height
  return undefined
}

const ownScript = z.object({ hex: z.string() })
const rawSchema = z.object({
  txid: hashSchema,
  blocktime: z.int(),
  fee: amountSchema.default(0),
  vin: z.array(
    z.union([
      z.object({ coinbase: z.string() }),
      z.object({ txid: hashSchema, vout: z.int(), prevout: z.object({ scriptPubKey: ownScript }) }),
    ]),
  ),
  vout: z.array(z.object({ n: z.int(), value: amountSchema, scriptPubKey: ownScript })),
})

const toTransaction = (
  { txid, blocktime: time, fee, vin, vout }: z.infer<typeof rawSchema>,
  height: number,
  scripts: ReadonlySet<string>,
): WalletTransaction => ({
  ...{ txid, height, time, fee_sats: btcToSats(fee), is_coinbase: vin.some((input) => 'coinbase' in input) },
  spent: vin.flatMap((input) =>
    'prevout' in input && scripts.has(input.prevout.scriptPubKey.hex) ? [`${input.txid}:${input.vout}`] : [],
  ),
  created: vout
    .filter(({ scriptPubKey }) => scripts.has(scriptPubKey.hex))
    .map(({ n, value }) => ({ vout: n, sats: btcToSats(value) })),
})

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** By height and id. */
export const inOrder = (transactions: Iterable<WalletTransaction>): WalletTransaction[] =>
  [...transactions].sort((one, other) => one.height - other.height || byText(one.txid, other.txid))

const unspentSchema = z.object({
  height: heightSchema,
  bestblock: hashSchema,
  unspents: z.array(
    z.object({
      ...{ txid: hashSchema, vout: z.int(), scriptPubKey: z.string(), amount: amountSchema },
      ...{ coinbase: z.boolean(), height: heightSchema, blockhash: hashSchema },
    }),
  ),
})

/** Without old blocks, the node still knows what is unspent. */
async function findUnspent(search: Search): Promise<WalletHistory> {
  search.say('the node lacks old blocks, or getdescriptoractivity (Core 29): only coins that are unspent now are found')
  const scripts = new Set<string>()
  // Spent scripts are not seen, so gaps are wider.
  const wide = { ...search, gap: fixedRange }
  for (let addresses = await derive(wide, scripts, {}); ; ) {
    const objects = toScanObjects(wide, addresses)
    const { height, bestblock: hash, unspents } = await scan(search.node, 'scantxoutset', [objects], unspentSchema)
    for (const { scriptPubKey } of unspents) scripts.add(scriptPubKey)
    const searched = addresses
    addresses = await derive(wide, scripts, searched)
    if (toScanObjects(wide, addresses, searched).length > 0) continue
    const transactions: WalletTransaction[] = []
    for (const [txid, outputs] of Map.groupBy(unspents, (each) => each.txid)) {
      const { height: at, coinbase: is_coinbase, blockhash } = outputs[0]!
      const { time = 0 } = (await readHeader(search.node, blockhash)) ?? {}
      const created = outputs.map(({ vout, amount }) => ({ vout, sats: btcToSats(amount) }))
      transactions.push({ txid, height: at, time, fee_sats: 0, is_coinbase, spent: [], created })
    }
    const found = { scripts: [...scripts], transactions: inOrder(transactions) }
    return { way: 'unspent', tip: { height, hash }, addresses, ...found }
  }
}
