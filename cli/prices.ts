import type { Generation } from '#sql/generation.ts'
import { decimals, grouped } from './numbers.ts'

/** What a person should know of the published prices beyond their extent; nothing where all is plain. */
export function priceDoubts(prices: NonNullable<Generation['prices']>): string[] {
  const { carried_days, disagreeing_days, worst_disagreement } = prices
  const worst = worst_disagreement
    ? `, most on ${worst_disagreement.date} (${decimals(100 * worst_disagreement.fraction, 1)} %)`
    : ''
  return [
    ...(disagreeing_days > 0 ? [`sources differ by more than 3 % on ${days(disagreeing_days)}${worst}`] : []),
    ...(carried_days > 0
      ? [`${days(carried_days)} without trade carr${carried_days === 1 ? 'ies' : 'y'} the last close`]
      : []),
  ]
}

const days = (count: number): string => `${grouped(count)} day${count === 1 ? '' : 's'}`
