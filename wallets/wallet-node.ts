import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { type RpcClient, RpcError } from '#ingest/chain/rpc.ts'
import type { SourceDescriptor } from './parse-sources.ts'
import { privateFound } from './private-material.ts'
import type { WalletDescriptor } from './wallet-folder.ts'

/** Scans take as long as the node needs. */
const scanTimeoutMs = 86_400_000

/** Calls to the node whose errors quote neither descriptors nor addresses. Throw `NodeRefusal`. */
export class WalletNode {
  readonly client: RpcClient

  constructor(client: RpcClient) {
    this.client = client
  }

  async call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    const [result] = await this.callEach(method, [params], z.tuple([schema]))
    return result
  }

  /** Calls a method with several lists of parameters. */
  async callEach<T>(method: string, lists: readonly (readonly unknown[])[], schema: z.ZodType<T>): Promise<T> {
    const calls = lists.map((params) => ({ method, params }))
    return this.client.batch(calls, schema, scanTimeoutMs).catch((error: unknown) => {
      if (error instanceof RpcError) throw new NodeRefusal(method, error)
      // The message quotes the call.
      const isQuoting = error instanceof CoinstrataError && error.code === 'rpc_failed'
      throw isQuoting ? new CoinstrataError('rpc_failed', `the node's answer to ${method} was not understood`) : error
    })
  }
}

export class NodeRefusal extends CoinstrataError {
  readonly rpcCode: number
  /** As the node says it, without keys and addresses. */
  readonly reason: string

  constructor(method: string, { rpcCode, reason, cure }: RpcError) {
    const shown = reason.replaceAll(/[\w/'*;<>[\]]{12,}/g, '…').slice(0, 200)
    super('rpc_failed', `the node could not answer ${method}: ${shown} (RPC error ${rpcCode})`, { cure })
    this.rpcCode = rpcCode
    this.reason = shown
  }
}

/** For calls that the node may refuse: `undefined` if it does. */
export const ifAccepted = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    if (error instanceof NodeRefusal) return undefined
    throw error
  })

const deriveFirst = (node: WalletNode, { descriptor, isrange }: z.infer<typeof infoSchema>): Promise<unknown> =>
  isrange ? node.call('deriveaddresses', [descriptor, [0, 0]], z.unknown()) : Promise.resolve()

/** At most as many as the node answers at a time. */
const concurrency = 16
const infoSchema = z.object({
  descriptor: z.string(),
  multipath_expansion: z.array(z.string()).optional(),
  isrange: z.boolean(),
  hasprivatekeys: z.boolean(),
})

/**
 * Has the node check descriptors, and returns them in its form, distinct. Throws `invalid_file`
 * with the place of the first one that it refuses.
 */
export async function checkDescriptors(
  node: WalletNode,
  sources: readonly SourceDescriptor[],
): Promise<WalletDescriptor[]> {
  const found = new Map<string, WalletDescriptor>()
  const check = async ({ text, place, used }: SourceDescriptor): Promise<WalletDescriptor[]> => {
    const refuse = (error: unknown): never => {
      if (!(error instanceof NodeRefusal)) throw error
      throw new CoinstrataError(
        'invalid_file',
        `${place} is refused by the node: ${error.reason}; nothing was stored`,
        {
          cure: 'copy the whole text again, with its checksum, from a wallet of the same network',
        },
      )
    }
    const info = await node.call('getdescriptorinfo', [text], infoSchema).catch(refuse)
    if (info.hasprivatekeys) throw privateFound('a private key', place)
    // Hardened steps after a public key show only when a script is derived.
    await deriveFirst(node, info).catch((error: unknown) => /private keys/.test(String(error)) && refuse(error))
    const all = info.multipath_expansion ?? [info.descriptor]
    return all.map((descriptor) => ({ descriptor, is_range: info.isrange, used }))
  }
  for (let from = 0; from < sources.length; from += concurrency) {
    for (const checked of (await Promise.all(sources.slice(from, from + concurrency).map(check))).flat()) {
      const used = Math.max(checked.used, found.get(checked.descriptor)?.used ?? 0)
      found.set(checked.descriptor, { ...checked, used })
    }
  }
  return [...found.values()]
}
