import { formatCount, formatDecimals } from '#base/quantities.ts'
import type { Generation } from '#sql/generation.ts'

export function priceDoubts(prices: NonNullable<Generation['prices']>): string[] {
  const { carried_days, disagreeing_days, worst_disagreement, unpriced } = prices
  const worst = worst_disagreement
    ? `, most on ${worst_disagreement.date} (${formatDecimals(100 * worst_disagreement.fraction, 1)} %)`
    : ''
  const known = unpriced?.known_from ? `known from ${unpriced.known_from} on` : 'not known'
  return [
    ...(unpriced
      ? [
          `coins created ${unpriced.first_date} to ${unpriced.last_date} have no price (${formatDecimals(100 * unpriced.share, 1)} % ` +
            `of the supply): realized cap and all that follows from cost are ${known}; "coinstrata fetch" gets the missing prices`,
        ]
      : []),
    ...(disagreeing_days > 0 ? [`sources differ by more than 3 % on ${days(disagreeing_days)}${worst}`] : []),
    ...(carried_days > 0
      ? [`${days(carried_days)} without trade carr${carried_days === 1 ? 'ies' : 'y'} the last close`]
      : []),
  ]
}

const days = (count: number): string => `${formatCount(count)} day${count === 1 ? '' : 's'}`
