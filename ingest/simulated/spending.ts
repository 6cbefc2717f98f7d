import { parseDay } from '#base/days.ts'
import { curve } from './curve.ts'
import type { Random } from './random.ts'

const blocksPerDay = 2.95

/**
 * Share of outputs unspent after a number of days. Those that outlive the last entry are never
 * spent.
 */
type Survival = readonly (readonly [days: number, share: number])[]

const payments: Survival = [
  [0.02, 1],
  [0.17, 0.93],
  [1, 0.55],
  [7, 0.27],
  [30, 0.18],
  [90, 0.125],
  [180, 0.092],
  [365, 0.056],
  [730, 0.031],
  [1095, 0.02],
  [1825, 0.011],
  [2555, 0.006],
  [3650, 0.003],
  [7300, 0.0008],
]

const minedCoins: Survival = [
  [0.7, 1],
  [7, 0.8],
  [30, 0.62],
  [90, 0.45],
  [180, 0.35],
  [365, 0.24],
  [730, 0.15],
  [1095, 0.11],
  [1825, 0.07],
  [2555, 0.05],
  [3650, 0.035],
  [7300, 0.012],
]

/** Share of mined coins whose keys are lost, from a day on. */
const lostShares = [
  { from: parseDay('2009-01-03'), share: 0.55 },
  { from: parseDay('2010-03-01'), share: 0.3 },
  { from: parseDay('2011-01-01'), share: 0.13 },
  { from: parseDay('2012-01-01'), share: 0.07 },
  { from: parseDay('2013-01-01'), share: 0.02 },
  { from: parseDay('2016-01-01'), share: 0.005 },
]

/** Blocks until spent: 0 for its own block, Infinity for never. */
export const drawLifetime = (random: Random): number => survivalBlocks(payments, random)

/** Blocks until spent, at least 2. */
export function drawMinedLifetime(random: Random, day: number): number {
  const lost = lostShares.findLast(({ from }) => from <= day)?.share ?? 0
  return random.chance(lost) ? Number.POSITIVE_INFINITY : Math.max(2, survivalBlocks(minedCoins, random))
}

function survivalBlocks(survival: Survival, random: Random): number {
  const share = random.next()
  const index = survival.findIndex(([, left]) => left <= share)
  if (index === -1) return Number.POSITIVE_INFINITY
  const [days, left] = survival[index]!
  const [earlierDays, earlierLeft] = survival[index - 1]!
  const way = Math.log(earlierLeft / share) / Math.log(earlierLeft / left)
  return Math.round(blocksPerDay * earlierDays * (days / earlierDays) ** way)
}

export const outputsPerBlock = curve([
  ['2009-01-03', 0],
  ['2009-12-01', 1],
  ['2010-07-18', 3],
  ['2011-06-08', 8],
  ['2013-11-29', 14],
  ['2017-12-17', 24],
  ['2021-11-09', 26],
  ['2026-01-01', 28],
])

export const feeShare = curve([
  ['2009-06-01', 0],
  ['2011-06-08', 0.002],
  ['2013-04-09', 0.004],
  ['2016-01-01', 0.008],
  ['2017-06-01', 0.1],
  ['2017-08-01', 0.06],
  ['2017-12-21', 0.45],
  ['2018-03-01', 0.02],
  ['2020-11-01', 0.06],
  ['2021-04-20', 0.18],
  ['2021-07-15', 0.015],
  ['2023-03-01', 0.02],
  ['2023-05-08', 0.3],
  ['2023-07-01', 0.03],
  ['2023-12-16', 0.25],
  ['2024-04-19', 0.1],
  ['2024-04-20', 0.8],
  ['2024-05-10', 0.07],
  ['2025-01-01', 0.02],
])
