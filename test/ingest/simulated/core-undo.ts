import { ECDH } from 'node:crypto'

/** Reads undo data exactly as `undo.h` and `compressor.cpp` do: a slow, independent reference. */

export interface UndoEntry {
  height: number
  coinbase: boolean
  sats: bigint
  script: string
}

export function readUndo(bytes: Uint8Array): UndoEntry[][] {
  let at = 0
  const byte = () => bytes[at++] ?? Number.NaN
  const take = (length: number) => {
    at += length
    return Buffer.from(bytes.subarray(at - length, at))
  }
  const compactSize = () => {
    const first = byte()
    if (first < 0xfd) return first
    return first === 0xfd ? take(2).readUInt16LE() : take(4).readUInt32LE()
  }
  const varint = () => {
    for (let value = 0n; ; value++) {
      const digit = byte()
      value = value * 128n + BigInt(digit & 0x7f)
      if (digit < 0x80) return value
    }
  }
  const script = (): Buffer => {
    const size = Number(varint())
    if (size === 0) return Buffer.concat([Buffer.from('76a914', 'hex'), take(20), Buffer.from('88ac', 'hex')])
    if (size === 1) return Buffer.concat([Buffer.from('a914', 'hex'), take(20), Buffer.from('87', 'hex')])
    if (size === 2 || size === 3) return Buffer.concat([Buffer.from([33, size]), take(32), Buffer.from('ac', 'hex')])
    if (size === 4 || size === 5) {
      const key = ECDH.convertKey(
        Buffer.concat([Buffer.from([size - 2]), take(32)]),
        'secp256k1',
        undefined,
        'hex',
        'uncompressed',
      )
      return Buffer.from(`41${key}ac`, 'hex')
    }
    return take(size - 6)
  }
  const entries = Array.from({ length: compactSize() }, () =>
    Array.from({ length: compactSize() }, (): UndoEntry => {
      const code = Number(varint())
      if (code >= 2 && byte() !== 0) throw new Error(`version byte at ${at - 1}`)
      const sats = decompressAmount(varint())
      return { height: code >> 1, coinbase: code % 2 === 1, sats, script: script().toString('hex') }
    }),
  )
  if (at !== bytes.length) throw new Error(`undo data end at ${at} of ${bytes.length}`)
  return entries
}

export function decompressAmount(compressed: bigint): bigint {
  if (compressed === 0n) return 0n
  const exponent = (compressed - 1n) % 10n
  const rest = (compressed - 1n) / 10n
  const mantissa = exponent < 9n ? (rest / 9n) * 10n + (rest % 9n) + 1n : rest + 1n
  return mantissa * 10n ** exponent
}
