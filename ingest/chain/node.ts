import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { btcToSats } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { headerBytes } from './block.ts'
import { displayHash, doubleSha256, internalHash, isSameBytes } from './bytes.ts'
import { previousHash } from './header-chain.ts'
import { type Network, refuseOtherChain } from './networks.ts'
import { amountSchema, ForbiddenMethod, hashSchema, heightSchema, ifOffered, type RpcClient, RpcError } from './rpc.ts'

export interface ChainTip {
  readonly height: number
  /** In display order. */
  readonly hash: string
}

export interface NodeState {
  /** Up to here the chain is complete, validated, and has undo data. */
  readonly tip: ChainTip
  readonly headersHeight: number
  readonly initialBlockDownload: boolean
  /** Lowest stored block; above 0 on a pruned node. */
  readonly firstStored: number
  /**
   * The node validates the history behind an assumeutxo snapshot: `tip` is its progress, but
   * `gettxoutsetinfo` describes the snapshot's chain, so they cannot be compared.
   */
  readonly isSnapshotUnvalidated: boolean
}

const blockchainInfoSchema = z.object({
  chain: z.string(),
  blocks: heightSchema,
  headers: heightSchema,
  bestblockhash: hashSchema,
  initialblockdownload: z.boolean(),
  pruned: z.boolean(),
  pruneheight: heightSchema.optional(),
})

/** Fails if the node is on another network or follows a chain that split from it. */
export async function readNodeState(client: RpcClient, network: Network): Promise<NodeState> {
  // One by one, so that the error names the method that the node forbids.
  const info = await client.call('getblockchaininfo', [], blockchainInfoSchema)
  const genesisHash = await client.call('getblockhash', [0], hashSchema)
  if (genesisHash !== network.genesisHash) {
    const message = `the node is on chain "${info.chain}" (genesis ${genesisHash}), not on ${network.name}`
    throw new CoinstrataError('wrong_network', message, {
      cure: 'set BITCOIN_NETWORK to the network of the node, or BITCOIN_RPC_URL to a node of that network',
    })
  }
  const { split } = network
  if (split && info.blocks >= split.height) {
    refuseOtherChain(network, await client.call('getblockhash', [split.height], hashSchema))
  }
  const background = await readBackgroundTip(client)
  return {
    tip: background ?? { height: info.blocks, hash: info.bestblockhash },
    headersHeight: info.headers,
    initialBlockDownload: info.initialblockdownload,
    firstStored: info.pruned ? (info.pruneheight ?? 0) : 0,
    isSnapshotUnvalidated: background !== undefined,
  }
}

/**
 * The active chainstate is last; before it, the one validating history while the snapshot is
 * unvalidated.
 */
const chainstatesSchema = z.object({
  chainstates: z.array(z.object({ blocks: heightSchema, bestblockhash: hashSchema, validated: z.boolean() })).min(1),
})

/**
 * Bitcoin Core before version 26 has neither this method nor snapshots. If it is forbidden, blocks
 * behind a snapshot are missing, which the scan reports.
 */
async function readBackgroundTip(client: RpcClient): Promise<ChainTip | undefined> {
  const chainstates = (await ifOffered(client.call('getchainstates', [], chainstatesSchema)))?.chainstates
  const first = chainstates?.[0]
  if (!first || chainstates.at(-1)?.validated) return undefined
  return { height: first.blocks, hash: first.bestblockhash }
}

export interface Headers {
  readonly headers: Uint8Array[]
  /** In internal byte order. */
  readonly hashes: Uint8Array[]
}

const headersPerBatch = 2_000
const rawHeaderSchema = z.hex().length(2 * headerBytes)

/**
 * Reads headers from height `from` to `tip`, each verified by the hash in its successor.
 * `onProgress` receives the number of headers.
 */
export async function readHeaders(
  client: RpcClient,
  tip: ChainTip,
  from: number,
  onProgress: (count: number) => void = () => {},
): Promise<Headers> {
  const headers: Uint8Array[] = []
  for (let height = from; height <= tip.height; height += headersPerBatch) {
    const heights = Array.from({ length: Math.min(headersPerBatch, tip.height - height + 1) }, (_, i) => height + i)
    const hashes = await client.batch(
      heights.map((at) => ({ method: 'getblockhash', params: [at] })),
      z.array(hashSchema),
    )
    headers.push(...(await readRawHeaders(client, hashes)))
    onProgress(headers.length)
  }
  const hashes: Uint8Array[] = new Array(headers.length)
  let expected = internalHash(tip.hash)
  for (let i = headers.length - 1; i >= 0; i--) {
    let header = headers[i]!
    if (!isSameBytes(doubleSha256(header), expected)) {
      // The node switched branches, but still knows the requested one's blocks.
      const [known] = await readRawHeaders(client, [displayHash(expected)])
      header = known!
      headers[i] = header
    }
    hashes[i] = expected
    expected = previousHash(header)
  }
  return { headers, hashes }
}

async function readRawHeaders(client: RpcClient, hashes: readonly string[]): Promise<Uint8Array[]> {
  const answers = await client.batch(
    hashes.map((hash) => ({ method: 'getblockheader', params: [hash, false] })),
    z.array(rawHeaderSchema),
  )
  return answers.map((header) => new Uint8Array(Buffer.from(header, 'hex')))
}

export interface TxOutSetInfo {
  readonly tip: ChainTip
  readonly outputs: number
  readonly sats: number
}

const txOutSetInfoSchema = z.object({
  height: heightSchema,
  bestblock: hashSchema,
  txouts: z.int().nonnegative(),
  total_amount: amountSchema,
})

/** On a slow disk, iterating over all unspent outputs takes many minutes. */
const txOutSetInfoTimeoutMs = 6 * 3_600_000

/** Totals at the node's tip, or at block `hash`, which requires coinstatsindex. */
export async function readTxOutSetInfo(client: RpcClient, hash?: string): Promise<TxOutSetInfo> {
  const params = hash === undefined ? ['none'] : ['none', hash]
  const info = await client.call('gettxoutsetinfo', params, txOutSetInfoSchema, txOutSetInfoTimeoutMs)
  return {
    tip: { height: info.height, hash: info.bestblock },
    outputs: info.txouts,
    sats: btcToSats(info.total_amount),
  }
}

const newTipSchema = z.object({ hash: hashSchema })
const wrongParameters = -1
const maxWaitMs = 5_000
/**
 * For nodes without `current_tip`, or that forbid the method: delay of noticing a block that arrived
 * before the call.
 */
const shortWaitMs = 1_000
/** Longer means unreachable. */
const answerTimeoutMs = 30_000

/** Returns when the tip changed, or after some seconds. */
export async function waitForOtherTip(client: RpcClient, tip: ChainTip): Promise<void> {
  try {
    await client.call('waitfornewblock', [maxWaitMs, tip.hash], newTipSchema, answerTimeoutMs)
  } catch (error) {
    if (error instanceof ForbiddenMethod) return void (await sleep(shortWaitMs))
    // Older nodes accept one parameter and answer more with their help text.
    if (!(error instanceof RpcError) || error.rpcCode !== wrongParameters) throw error
    await client.call('waitfornewblock', [shortWaitMs], newTipSchema, answerTimeoutMs)
  }
}
