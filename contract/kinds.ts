/**
 * Numbered. The first nine are Bitcoin Core's standard forms (script/solver.cpp); `witness_other`
 * are witness programs without a meaning yet, `unspendable` scripts above 10,000 bytes and the
 * output of the first block.
 */
export const scriptTypes = [
  'p2pk',
  'p2pkh',
  'multisig',
  'p2sh',
  'p2wpkh',
  'p2wsh',
  'p2tr',
  'p2a',
  'witness_other',
  'other',
  'op_return',
  'unspendable',
] as const
export type ScriptType = (typeof scriptTypes)[number]

/** Never spent, and not part of the supply. */
export const lostTypes: readonly ScriptType[] = ['op_return', 'unspendable']

/** Lower bounds in satoshis: nothing, below 1,000, then powers of ten. */
export const sizes: readonly number[] = [0, 1, ...Array.from({ length: 11 }, (_, i) => 1000 * 10 ** i)]

const kindsPerOrigin = scriptTypes.length * sizes.length

/** Script type, size and origin of an output as one number. */
export const kindCount = 2 * kindsPerOrigin

/** Indices into `scriptTypes` and `sizes`; `mined` is 1 for coinbase outputs. */
export const toKind = (type: number, size: number, mined: number): number =>
  mined * kindsPerOrigin + type * sizes.length + size

export const toScriptType = (kind: number): number => ((kind % kindsPerOrigin) / sizes.length) | 0

export interface Kind {
  readonly kind: number
  readonly mined: boolean
  readonly scriptType: ScriptType
  readonly size: number
}

export const kinds: readonly Kind[] = Array.from({ length: kindCount }, (_, kind) => ({
  kind,
  mined: kind >= kindsPerOrigin,
  scriptType: scriptTypes[Math.floor((kind % kindsPerOrigin) / sizes.length)]!,
  size: kind % sizes.length,
}))

export const kindsOf = (...types: readonly ScriptType[]): readonly number[] =>
  kinds.flatMap(({ kind, scriptType }) => (types.includes(scriptType) ? kind : []))
