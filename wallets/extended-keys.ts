import { doubleSha256 } from '#ingest/chain/bytes.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const checksumBytes = 4
const keyBytes = 78 + checksumBytes

/** First letters of extended public keys (SLIP 132), by the kind of their scripts. */
const kinds = { any: 'xt', 'sh(wpkh)': 'yu', wpkh: 'zv', multisig: 'YUZV' } as const
export type KeyKind = keyof typeof kinds
const kindNames: readonly KeyKind[] = ['any', 'sh(wpkh)', 'wpkh', 'multisig']
/** Versions `xpub` and `tpub`, the only ones that nodes take. */
const [mainnetVersion, testVersion] = [0x0488b21e, 0x043587cf]

/** Undefined for other text, or a wrong checksum. */
export function readExtendedKey(text: string): { key: string; isMainnet: boolean; kind: KeyKind } | undefined {
  const kind = kindNames.find((name) => kinds[name].includes(text.charAt(0)))
  const bytes = decode(text)
  if (!kind || !bytes?.subarray(-checksumBytes).equals(checksum(bytes))) return undefined
  const isMainnet = 'xyzYZ'.includes(text.charAt(0))
  bytes.writeUInt32BE(isMainnet ? mainnetVersion : testVersion, 0)
  bytes.set(checksum(bytes), keyBytes - checksumBytes)
  return { key: encode(bytes), isMainnet, kind }
}

const checksum = (key: Uint8Array): Uint8Array =>
  doubleSha256(key.subarray(0, -checksumBytes)).subarray(0, checksumBytes)

/** Versions begin with a byte other than 0, so there are no leading ones. */
function decode(text: string): Buffer | undefined {
  let value = 0n
  for (const letter of text) {
    if (!alphabet.includes(letter)) return undefined
    value = 58n * value + BigInt(alphabet.indexOf(letter))
  }
  const hex = value.toString(16).padStart(2 * keyBytes, '0')
  return hex.length === 2 * keyBytes ? Buffer.from(hex, 'hex') : undefined
}

function encode(bytes: Buffer): string {
  let text = ''
  for (let value = BigInt(`0x${bytes.toString('hex')}`); value > 0n; value /= 58n)
    text = alphabet.charAt(Number(value % 58n)) + text
  return text
}
