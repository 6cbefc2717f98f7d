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

/** Bytes between a push opcode and its data: the length that OP_PUSHDATA1, 2 and 4 have. */
const lengthBytes = (opcode: number): number => (opcode >= 0x4c && opcode <= 0x4e ? 1 << (opcode - 0x4c) : 0)

/** Length of the data that the opcode at `at` pushes; −1 if it pushes none. */
function pushedBytes(bytes: Uint8Array, key: Uint8Array, at: number): number {
  const opcode = bytes[at]! ^ key[at & 7]!
  if (opcode < 0x4c) return opcode
  let length = opcode > 0x4e ? -1 : 0
  for (let i = lengthBytes(opcode); i > 0; i--) length = 256 * length + (bytes[at + i]! ^ key[(at + i) & 7]!)
  return length
}

/** Whether the opcode at `at` pushes data before `end` that begin with `text`. */
export function pushesText(bytes: Uint8Array, key: Uint8Array, at: number, end: number, text: Uint8Array): boolean {
  const length = pushedBytes(bytes, key, at)
  const data = at + 1 + lengthBytes(bytes[at]! ^ key[at & 7]!)
  if (length < text.length || data + length > end) return false
  for (let i = 0; i < text.length; i++) if ((bytes[data + i]! ^ key[(data + i) & 7]!) !== text[i]) return false
  return true
}

/** Opcodes searched for an envelope, at most. */
const maxEnvelopeSteps = 8
const ord = Buffer.from('ord')

/**
 * Whether a taproot script has `OP_FALSE OP_IF "ord"` among its first opcodes, usually after a key
 * and OP_CHECKSIG. Skips pushed data, so an envelope in data does not count. The script of `length`
 * bytes at `at` is obfuscated with `key`.
 */
export function hasEnvelope(bytes: Uint8Array, key: Uint8Array, at: number, length: number): boolean {
  const end = at + length
  let place = at
  for (let step = 0; step < maxEnvelopeSteps && place + 6 <= end; step++) {
    const pushed = pushedBytes(bytes, key, place)
    place += 1 + lengthBytes(bytes[place]! ^ key[place & 7]!) + Math.max(0, pushed)
    if (pushed !== 0 || (bytes[place]! ^ key[place & 7]!) !== 0x63) continue
    if (pushedBytes(bytes, key, place + 1) === 3) return pushesText(bytes, key, place + 1, end, ord)
  }
  return false
}

/**
 * Whether a witness item of `length` bytes at `at` looks like a taproot control block (BIP341, leaf
 * version 0xc0).
 */
export const isControlBlock = (bytes: Uint8Array, key: Uint8Array, at: number, length: number): boolean =>
  length >= 33 && ((length - 33) & 31) === 0 && ((bytes[at]! ^ key[at & 7]!) & 0xfe) === 0xc0
