import { coinsOf } from '#base/bitcoin.ts'
import type { ReachedMilestone } from '#sql/generation.ts'
import type { ProvedBlocks } from '#state/proved-segments.ts'

/** Numbers for people: `1,234,567`. */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US')

export const decimals = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** How many blocks are proved against their hashes. */
export const describeProved = (proved: ProvedBlocks | null): string =>
  proved ? `${grouped(proved.blocks)} of ${grouped(proved.of)} blocks` : 'unknown until the next "coinstrata update"'

/** A fact that others published of the chain too. */
export function describeMilestone(milestone: ReachedMilestone): string {
  const { height, transactions, unspent_outputs, unclaimed_sats, overwritten_sats } = milestone
  const facts = [
    transactions === undefined ? [] : `${grouped(transactions)} transactions`,
    unspent_outputs === undefined ? [] : `${grouped(unspent_outputs)} unspent outputs`,
    unclaimed_sats === undefined ? [] : `${bitcoins(unclaimed_sats)} of its subsidy unclaimed`,
    overwritten_sats === undefined ? [] : `${bitcoins(overwritten_sats)} lost to overwritten coinbases`,
  ]
  return `block ${grouped(height)}: ${facts.flat().join(', ')}`
}

/** Satoshis as BTC with all eight decimals that are not zero. */
export const bitcoins = (sats: number): string =>
  `${coinsOf(sats).toLocaleString('en-US', { maximumFractionDigits: 8 })} BTC`

export const dollars = (value: number): string =>
  value >= 1e6
    ? `$${value.toLocaleString('en-US', { notation: 'compact', minimumFractionDigits: 1, maximumFractionDigits: 2 })}`
    : `$${decimals(value, 2)}`

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${decimals(bytes / 1000 ** power, power === 0 ? 0 : 1)} ${units[power]}`
}

export const rate = (bytes: number, seconds: number): string => `${bytesText(seconds > 0 ? bytes / seconds : 0)}/s`

export function duration(seconds: number): string {
  if (seconds < 60) return `${decimals(seconds, seconds < 10 ? 1 : 0)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
