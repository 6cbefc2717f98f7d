import { address } from 'bitcoinjs-lib'

/** Mainnet, then test networks. */
const keyHashVersions = [0x00, 0x6f]
const scriptHashVersions = [0x05, 0xc4]
const firstVersionOpcode = 0x50

/** A public key in hexadecimal, compressed or not. */
const publicKey = /^(0[23][0-9a-f]{64}|0[467][0-9a-f]{128})$/i

/** Output script of an address, P2PK of a public key; undefined for any other text. */
export function decodeAddress(text: string): { readonly script: Uint8Array; readonly isMainnet?: boolean } | undefined {
  if (publicKey.test(text)) {
    const key = Buffer.from(text, 'hex')
    return { script: Uint8Array.of(key.length, ...key, 0xac) }
  }
  try {
    if (/^(bc|tb|bcrt)1/i.test(text)) {
      const { version, data, prefix } = address.fromBech32(text)
      const opcode = version === 0 ? 0 : firstVersionOpcode + version
      return { script: Uint8Array.of(opcode, data.length, ...data), isMainnet: prefix === 'bc' }
    }
    const { version, hash } = address.fromBase58Check(text)
    const isMainnet = version === keyHashVersions[0] || version === scriptHashVersions[0]
    if (keyHashVersions.includes(version)) {
      return { script: Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac), isMainnet }
    }
    return scriptHashVersions.includes(version)
      ? { script: Uint8Array.of(0xa9, 20, ...hash, 0x87), isMainnet }
      : undefined
  } catch {
    return undefined
  }
}
