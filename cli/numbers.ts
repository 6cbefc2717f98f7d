import { satsToBtc } from '#base/bitcoin.ts'
import { formatBytes, formatCount, formatDecimals } from '#base/quantities.ts'
import type { ReachedMilestone } from '#sql/generation.ts'

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

export const formatBtc = (sats: number): string =>
  `${satsToBtc(sats).toLocaleString('en-US', { maximumFractionDigits: 8 })} BTC`

export const formatUsd = (value: number): string =>
  value >= 1e6
    ? `$${value.toLocaleString('en-US', { notation: 'compact', minimumFractionDigits: 1, maximumFractionDigits: 2 })}`
    : `$${formatDecimals(value, 2)}`

export const formatRate = (bytes: number, seconds: number): string =>
  `${formatBytes(seconds > 0 ? bytes / seconds : 0)}/s`
