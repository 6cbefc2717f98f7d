/**
 * Reads a dump of unspent outputs by the format's description alone, and adds up what each address
 * holds.
 */
export function dumpedBalances(dump: Buffer): Map<string, number> {
  let at = 43
  const byte = (): number => dump[at++]!
  const bytes = (count: number): Buffer => {
    at += count
    return dump.subarray(at - count, at)
  }
  const compactSize = (): number => {
    const first = byte()
    if (first < 0xfd) return first
    return bytes(first === 0xfd ? 2 : 4).readUIntLE(0, first === 0xfd ? 2 : 4)
  }
  const varint = (): bigint => {
    for (let value = 0n; ; value++) {
      const next = byte()
      value = (value << 7n) | BigInt(next & 0x7f)
      if (next < 0x80) return value
    }
  }
  const total = Number(bytes(8).readBigUInt64LE())
  const balances = new Map<string, number>()
  for (let coins = 0; coins < total; ) {
    bytes(32)
    for (let left = compactSize(); left > 0; left--, coins++) {
      compactSize()
      varint()
      const sats = decompressAmount(varint())
      const address = readAddress(Number(varint()), bytes)
      if (address !== undefined && sats > 0) balances.set(address, (balances.get(address) ?? 0) + sats)
    }
  }
  return balances
}

/** `DecompressAmount` (compressor.cpp). */
function decompressAmount(compressed: bigint): number {
  if (compressed === 0n) return 0
  let rest = compressed - 1n
  const exponent = rest % 10n
  rest /= 10n
  const amount = exponent < 9n ? (rest / 9n) * 10n + (rest % 9n) + 1n : rest + 1n
  return Number(amount * 10n ** exponent)
}

/** Of sizes below six a dump has the hash or key alone; a key in either form is one address. */
function readAddress(size: number, bytes: (count: number) => Buffer): string | undefined {
  if (size === 0) return `pkh ${bytes(20).toString('hex')}`
  if (size === 1) return `sh ${bytes(20).toString('hex')}`
  if (size < 6) return `pk ${size & 1} ${bytes(32).toString('hex')}`
  const script = bytes(size - 6)
  // Keys that are not on the curve, or in the hybrid form, are not compressed.
  if (script.length === 67 && script[0] === 65 && [4, 6, 7].includes(script[1]!) && script[66] === 0xac)
    return `pk ${script[65]! & 1} ${script.subarray(2, 34).toString('hex')}`
  const isProgram = script.length >= 4 && script.length <= 42 && script[1] === script.length - 2
  const isWitness = isProgram && (script[0] === 0 || (script[0]! >= 0x51 && script[0]! <= 0x60))
  return isWitness ? script.toString('hex') : undefined
}
