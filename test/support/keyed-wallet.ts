import { z } from 'zod'
import type { TestNode } from './bitcoind.ts'
import type { KeyedLock } from './coins.ts'

/**
 * The private key 1 in regtest's format, its public key, and the public key of the private key 2.
 */
const privateKey = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA'
const publicKey = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const otherPublicKey = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'

const descriptors: Record<KeyedLock, string> = {
  p2pk: `pk(${privateKey})`,
  p2pkh: `pkh(${privateKey})`,
  'p2sh-p2wpkh': `sh(wpkh(${privateKey}))`,
  p2wpkh: `wpkh(${privateKey})`,
  p2wsh: `wsh(pk(${privateKey}))`,
  p2tr: `tr(${privateKey})`,
  multisig: `multi(1,${privateKey},${otherPublicKey})`,
}

const importedSchema = z.array(z.object({ success: z.literal(true) }))

/** Creates a wallet with one key, and returns output scripts of all kinds that the key unlocks. */
export async function createKeyedWallet(node: TestNode): Promise<Record<KeyedLock, Uint8Array>> {
  await node.rpc('createwallet', ['keyed', false, true, '', false, true, true])
  const requests: { desc: string; timestamp: 'now' }[] = []
  for (const descriptor of Object.values(descriptors)) {
    requests.push({ desc: await withChecksum(node, descriptor), timestamp: 'now' })
  }
  await node.rpc('importdescriptors', [requests], importedSchema)
  return {
    p2pk: Buffer.from(`21${publicKey}ac`, 'hex'),
    p2pkh: await scriptOf(node, descriptors.p2pkh),
    'p2sh-p2wpkh': await scriptOf(node, descriptors['p2sh-p2wpkh']),
    p2wpkh: await scriptOf(node, descriptors.p2wpkh),
    p2wsh: await scriptOf(node, descriptors.p2wsh),
    p2tr: await scriptOf(node, descriptors.p2tr),
    multisig: Buffer.from(`5121${publicKey}21${otherPublicKey}52ae`, 'hex'),
  }
}

async function withChecksum(node: TestNode, descriptor: string): Promise<string> {
  const { checksum } = await node.rpc('getdescriptorinfo', [descriptor], z.object({ checksum: z.string() }))
  return `${descriptor}#${checksum}`
}

async function scriptOf(node: TestNode, descriptor: string): Promise<Uint8Array> {
  const addresses = z.tuple([z.string()])
  const [address] = await node.rpc('deriveaddresses', [await withChecksum(node, descriptor)], addresses)
  const { scriptPubKey } = await node.rpc('validateaddress', [address], z.object({ scriptPubKey: z.hex() }))
  return Buffer.from(scriptPubKey, 'hex')
}
