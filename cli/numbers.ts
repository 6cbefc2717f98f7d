import { satsToBtc } from '#base/bitcoin.ts'
import type { CoinProof } from '#contract/coin-proof.ts'
import type { ReachedMilestone } from '#sql/generation.ts'
import type { ProvedBlocks } from '#state/proved-segments.ts'

/** Formats an integer: `1,234,567`. */
export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-US')

export const formatDecimals = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })

export const describeProved = (proved: ProvedBlocks | null): string =>
  proved
    ? `${formatCount(proved.blocks)} of ${formatCount(proved.of)} blocks`
    : 'unknown until the next "coinstrata update"'

export const describeCoinProof = (proof: CoinProof | null): string =>
  proof
    ? `by coin: ${formatCount(proof.coins)} coins after block ${formatCount(proof.height)} (${proof.date})`
    : 'by coin: never; "coinstrata audit --coins" does it'

export function describeMilestone(milestone: ReachedMilestone): string {
  const { height, transactions, unspent_outputs, unclaimed_sats, overwritten_sats } = milestone
  const facts = [
    transactions === undefined ? [] : `${formatCount(transactions)} transactions`,
    unspent_outputs === undefined ? [] : `${formatCount(unspent_outputs)} unspent outputs`,
    unclaimed_sats === undefined ? [] : `${formatBtc(unclaimed_sats)} of its subsidy unclaimed`,
    overwritten_sats === undefined ? [] : `${formatBtc(overwritten_sats)} lost to overwritten coinbases`,
  ]
  return `block ${formatCount(height)}: ${facts.flat().join(', ')}`
}

/** Formats satoshis as BTC with up to eight decimals. */
export const formatBtc = (sats: number): string =>
  `${satsToBtc(sats).toLocaleString('en-US', { maximumFractionDigits: 8 })} BTC`

export const formatUsd = (value: number): string =>
  value >= 1e6
    ? `$${value.toLocaleString('en-US', { notation: 'compact', minimumFractionDigits: 1, maximumFractionDigits: 2 })}`
    : `$${formatDecimals(value, 2)}`

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${formatDecimals(bytes / 1000 ** power, power === 0 ? 0 : 1)} ${units[power]}`
}

export const formatRate = (bytes: number, seconds: number): string =>
  `${formatBytes(seconds > 0 ? bytes / seconds : 0)}/s`

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${formatDecimals(seconds, seconds < 10 ? 1 : 0)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
