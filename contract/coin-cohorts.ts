import { type ScriptType, scriptTypes, sizes } from './kinds.ts'

/** By size and script type of outputs, and whether a coinbase created them. */
export interface CoinCohort {
  readonly id: string
  /** As in sentences: `outputs of 1 to 10 BTC`. */
  readonly coins: string
  /** Also in ids. */
  readonly aliases: readonly string[]
  /** Groups (`groupsOf`) and minimum age in days. */
  readonly groups: readonly number[]
  readonly minAge: number
}

const spendable = scriptTypes.filter((type) => type !== 'op_return' && type !== 'unspendable')
const spendableTypes: readonly ScriptType[] = spendable

/** Outputs belong to three groups, in this order: size, script type, origin. */
export const groupCount = sizes.length + spendable.length + 2
const firstType = sizes.length
const firstOrigin = firstType + spendable.length

/** Only for spendable outputs. */
export const groupsOf = (kind: { readonly scriptType: ScriptType; readonly size: number; readonly mined: boolean }) =>
  [kind.size, firstType + spendableTypes.indexOf(kind.scriptType), firstOrigin + Number(kind.mined)] as const

/** Lower bounds, in ids and in sentences. */
const bounds = [
  ['0_sats', 'no value'],
  ['1_sat', '1 sat'],
  ['1k_sats', '1,000 sat'],
  ['10k_sats', '10,000 sat'],
  ['100k_sats', '0.001 BTC'],
  ['1m_sats', '0.01 BTC'],
  ['10m_sats', '0.1 BTC'],
  ['1_btc', '1 BTC'],
  ['10_btc', '10 BTC'],
  ['100_btc', '100 BTC'],
  ['1k_btc', '1,000 BTC'],
  ['10k_btc', '10,000 BTC'],
  ['100k_btc', '100,000 BTC'],
] as const
const last = sizes.length - 1
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

const animals: Readonly<Record<string, string>> = {
  under_1_btc: 'shrimps',
  '1_10_btc': 'crabs',
  '10_100_btc': 'fish',
  '100_1k_btc': 'sharks',
  over_1k_btc: 'whales',
}

const cohort = (
  id: string,
  coins: string,
  groups: readonly number[],
  aliases: readonly string[] = [],
  minAge = 0,
): CoinCohort => ({ id, coins, groups, minAge, aliases })
const bySize = (id: string, of: string, groups: readonly number[]): CoinCohort =>
  cohort(id, `outputs ${of}`, groups, animals[id] === undefined ? [] : [animals[id]])

/** `10k_sats` and `100k_sats` as `10k_100k_sats`. */
function bandId(size: number): string {
  const [from, unit] = bounds[size]![0].split('_')
  if (size === 0) return bounds[0][0]
  if (size === last) return `${from}_plus_${unit}`
  const [to, toUnit] = bounds[size + 1]![0].split('_')
  return toUnit === 'btc' && unit !== 'btc' ? `${from}_100m_sats` : `${from}_${to}_${toUnit}`
}

const bands = range(0, sizes.length).map((size) => {
  const from = bounds[size]![1]
  const upTo = bounds[size + 1]?.[1]
  const of = size === 0 ? 'of no value' : upTo === undefined ? `of ${from} or more` : `of ${from} to ${upTo}`
  return bySize(bandId(size), of, [size])
})
const thresholds = range(2, sizes.length).flatMap((size) => {
  const [id, value] = bounds[size]!
  const under = bySize(`under_${id}`, `below ${value}`, range(0, size))
  // The largest size is a band already.
  return size === last ? [under] : [bySize(`over_${id}`, `of ${value} or more`, range(size, sizes.length)), under]
})

const typeNames: Readonly<Record<(typeof spendable)[number], string>> = {
  p2pk: 'P2PK',
  p2pkh: 'P2PKH',
  multisig: 'multisig',
  p2sh: 'P2SH',
  p2wpkh: 'P2WPKH',
  p2wsh: 'P2WSH',
  p2tr: 'P2TR',
  p2a: 'P2A',
  witness_other: 'other witness',
  other: 'other',
}
const types = spendable.map((type, i) =>
  cohort(type === 'other' ? 'other_scripts' : type, `${typeNames[type]} outputs`, [firstType + i]),
)

/** In days, youngest first. */
export const coinAges = [0, 365, 1825, 3650] as const

const byAge = (id: string, coins: string, groups: readonly number[]): CoinCohort[] =>
  coinAges.map((days) => {
    const years = days / 365
    if (days === 0) return cohort(id, coins, groups)
    return cohort(
      `${id}_over_${years}y`,
      `${coins}, aged ${years} year${years === 1 ? '' : 's'} or more`,
      groups,
      [],
      days,
    )
  })
const exposedTypes = (['p2pk', 'multisig', 'p2tr'] as const).map((type) => firstType + spendable.indexOf(type))

/** `exposed` outputs show a public key; `mined` ones were never moved. */
export const coinCohortLists = {
  size: bands,
  type: types,
  origin: [
    ...byAge('exposed', 'outputs that show a public key (P2PK, multisig, P2TR)', exposedTypes),
    ...byAge('mined', 'coinbase outputs', [firstOrigin + 1]),
    cohort('moved', 'outputs of ordinary transactions', [firstOrigin]),
  ],
} as const

/** With all thresholds between sizes. */
export const coinCohorts: readonly CoinCohort[] = [
  ...coinCohortLists.size,
  ...thresholds,
  ...coinCohortLists.type,
  ...coinCohortLists.origin,
]
