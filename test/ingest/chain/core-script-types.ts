import { z } from 'zod'
import { findBitcoind, startNode } from '#test/support/bitcoind.ts'

export const bitcoind = findBitcoind()

const names: Readonly<Record<string, string>> = {
  pubkey: 'p2pk',
  pubkeyhash: 'p2pkh',
  scripthash: 'p2sh',
  multisig: 'multisig',
  witness_v0_keyhash: 'p2wpkh',
  witness_v0_scripthash: 'p2wsh',
  witness_v1_taproot: 'p2tr',
  anchor: 'p2a',
  witness_unknown: 'witness_other',
  nulldata: 'op_return',
  nonstandard: 'other',
}
const answer = z.object({ type: z.string() })

/** The types that a node names, by script. */
export async function nameScripts(scripts: readonly string[]): Promise<Map<string, string>> {
  const node = await startNode(bitcoind!, { network: 'regtest' })
  try {
    const types = new Map<string, string>()
    for (const script of new Set(scripts)) {
      const { type } = await node.rpc('decodescript', [script], answer)
      types.set(script, names[type] ?? type)
    }
    return types
  } finally {
    await node.stop()
  }
}
