import { parseDay } from '#base/days.ts'
import { curve } from './curve.ts'

/** Turning points in US dollars, near the real ones in date and size. */
const history: readonly (readonly [string, number])[] = [
  ['2010-07-18', 0.08],
  ['2010-10-01', 0.06],
  ['2010-12-01', 0.22],
  ['2011-02-09', 1.05],
  ['2011-04-04', 0.7],
  ['2011-06-08', 30],
  ['2011-08-01', 13],
  ['2011-11-18', 2.05],
  ['2012-01-15', 6.8],
  ['2012-02-20', 4.5],
  ['2012-08-16', 13],
  ['2012-11-28', 12.3],
  ['2013-01-20', 16],
  ['2013-04-09', 220],
  ['2013-04-16', 90],
  ['2013-07-05', 92],
  ['2013-10-01', 135],
  ['2013-12-03', 1180],
  ['2013-12-18', 560],
  ['2014-01-06', 900],
  ['2014-04-10', 420],
  ['2014-06-01', 630],
  ['2015-01-14', 180],
  ['2015-07-12', 300],
  ['2015-08-24', 215],
  ['2015-11-04', 400],
  ['2016-06-16', 750],
  ['2016-08-02', 550],
  ['2017-01-04', 1100],
  ['2017-03-25', 930],
  ['2017-06-11', 2900],
  ['2017-07-16', 1950],
  ['2017-09-01', 4800],
  ['2017-09-14', 3400],
  ['2017-12-17', 19_300],
  ['2018-02-05', 7000],
  ['2018-03-05', 11_200],
  ['2018-04-06', 6700],
  ['2018-05-05', 9600],
  ['2018-06-28', 6000],
  ['2018-07-24', 8200],
  ['2018-11-13', 6300],
  ['2018-12-15', 3150],
  ['2019-04-01', 4100],
  ['2019-06-26', 12_800],
  ['2019-12-17', 6800],
  ['2020-02-12', 10_200],
  ['2020-03-12', 5000],
  ['2020-05-11', 8700],
  ['2020-08-17', 12_000],
  ['2020-09-08', 10_200],
  ['2020-12-16', 21_000],
  ['2021-01-08', 40_000],
  ['2021-01-21', 31_500],
  ['2021-04-13', 55_000],
  ['2021-07-20', 30_000],
  ['2021-09-06', 52_000],
  ['2021-09-21', 41_500],
  ['2021-11-09', 67_300],
  ['2022-01-22', 35_500],
  ['2022-03-29', 47_000],
  ['2022-06-18', 19_200],
  ['2022-08-13', 24_300],
  ['2022-11-21', 15_300],
  ['2023-04-14', 30_200],
  ['2023-06-15', 25_600],
  ['2023-07-13', 31_000],
  ['2023-09-11', 25_300],
  ['2023-12-05', 43_800],
  ['2024-01-23', 39_600],
  ['2024-03-13', 72_500],
  ['2024-05-01', 58_500],
  ['2024-05-20', 70_500],
  ['2024-08-05', 54_500],
  ['2024-09-06', 54_200],
  ['2024-12-17', 105_500],
  ['2025-04-08', 77_000],
  ['2025-05-22', 107_000],
  ['2025-06-22', 99_500],
  ['2025-08-13', 116_000],
  ['2025-09-01', 109_000],
  ['2025-10-06', 124_700],
  ['2025-11-21', 85_500],
  ['2026-01-14', 96_500],
  ['2026-02-05', 64_000],
  ['2026-07-01', 60_000],
]

/** Four-year cycle repeated after the history: days since the low, and price relative to it. */
const cycle: readonly (readonly [days: number, ratio: number])[] = [
  [0, 1],
  [300, 1.7],
  [540, 2.3],
  [800, 2],
  [1070, 4.6],
  [1200, 3.2],
]
const cycleDays = 1461
const growthPerCycle = 1.85
const firstLow = { day: parseDay('2026-10-20'), price: 47_000 }

export const firstPriceDay = parseDay('2010-07-18')

const logHistory = curve([
  ...history.map(([date, price]) => [date, Math.log(price)] as const),
  ['2026-10-20', Math.log(firstLow.price)],
])

/** Natural logarithm of the price around which simulated closes move. */
export function logPriceTrend(day: number): number {
  if (day <= firstLow.day) return logHistory(day)
  const cycles = Math.floor((day - firstLow.day) / cycleDays)
  const daysIn = day - firstLow.day - cycles * cycleDays
  const next = cycle.findIndex(([days]) => days > daysIn)
  const [fromDays, from] = cycle.at(next - 1)!
  const [toDays, to] = cycle[next] ?? [cycleDays, growthPerCycle]
  const way = (daysIn - fromDays) / (toDays - fromDays)
  return (
    Math.log(firstLow.price) +
    cycles * Math.log(growthPerCycle) +
    Math.log(from) +
    way * (Math.log(to) - Math.log(from))
  )
}

/** Rise over a year as an incentive to sell, 0 … 1. */
export function sellingPressure(day: number): number {
  if (day < firstPriceDay) return 0
  const rise = logPriceTrend(day) - logPriceTrend(Math.max(firstPriceDay, day - 365))
  return Math.min(1, Math.max(0, rise / Math.log(10)))
}
