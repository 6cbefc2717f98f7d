/** Facts that a transaction's bytes alone decide, as bits of `DecodedBlock.marks`. */
export const marks = {
  version1: 1,
  version2: 2,
  version3: 4,
  /** Lock time is not 0. */
  locked: 8,
  /** An input has a sequence number below 0xfffffffe (BIP125). */
  replaceable: 16,
  witness: 32,
  /** A taproot script that it spends by begins with an ord envelope; see `hasEnvelope`. */
  inscription: 64,
  /** An output's script begins with OP_RETURN OP_13. */
  runestone: 128,
  opReturn: 256,
  severalOpReturns: 512,
  /** At least five inputs and spendable outputs, and at most half as many output values. */
  equalOutputs: 1024,
} as const

/** Opcodes searched for an envelope, at most. */
const maxEnvelopeSteps = 8

/**
 * Whether a taproot script has `OP_FALSE OP_IF "ord"` among its first opcodes, usually after a key
 * and OP_CHECKSIG. Skips pushed data, so an envelope in data does not count. The script of `length`
 * bytes at `at` is obfuscated with `key`.
 */
export function hasEnvelope(bytes: Uint8Array, key: Uint8Array, at: number, length: number): boolean {
  const end = at + length
  const byte = (place: number): number => bytes[place]! ^ key[place & 7]!
  let place = at
  for (let step = 0; step < maxEnvelopeSteps && place + 6 <= end; step++) {
    const opcode = byte(place)
    if (opcode === 0 && byte(place + 1) === 0x63 && byte(place + 2) === 3) {
      return byte(place + 3) === 0x6f && byte(place + 4) === 0x72 && byte(place + 5) === 0x64
    }
    if (opcode >= 0x4d && opcode <= 0x4e) return false
    place += opcode === 0x4c ? 2 + byte(place + 1) : opcode < 0x4c ? 1 + opcode : 1
  }
  return false
}

/**
 * Whether a witness item of `length` bytes at `at` looks like a taproot control block (BIP341, leaf
 * version 0xc0).
 */
export const isControlBlock = (bytes: Uint8Array, key: Uint8Array, at: number, length: number): boolean =>
  length >= 33 && ((length - 33) & 31) === 0 && ((bytes[at]! ^ key[at & 7]!) & 0xfe) === 0xc0
