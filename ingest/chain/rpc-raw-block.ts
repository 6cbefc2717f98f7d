import { z } from 'zod'
import type { RpcClient } from './rpc.ts'

/** The bytes of a block (hash in display order) as a node hands them out. Throws what `RpcClient.call` throws. */
export async function fetchRawBlock(client: RpcClient, hash: string): Promise<Uint8Array> {
  return Buffer.from(await client.call('getblock', [hash, 0], z.hex()), 'hex')
}
