import { genesisDay } from './calendar.ts'
import { curve } from './curve.ts'

const retargetDays = 14

/** Mantissa of the lowest difficulty: target 0x7fffff and 29 zero bytes. */
const easiestMantissa = 0x7f_ffff
const targetExponent = 0x20

/**
 * Doublings of the difficulty since the first block. Real difficulty rose by 2^47; this scale has
 * the same ups and downs, but finds a block in a tenth of a millisecond. The years from 2018 on get
 * most of the scale, or the estimated hash rate would show little but the daily number of blocks
 * (two or three).
 */
const doublings = curve([
  ['2009-01-03', 0],
  ['2010-01-01', 0],
  ['2011-01-01', 0.8],
  ['2011-06-20', 0.93],
  ['2011-12-01', 0.88],
  ['2013-02-01', 0.93],
  ['2014-01-01', 1.2],
  ['2014-12-01', 1.38],
  ['2015-06-01', 1.38],
  ['2016-01-01', 1.48],
  ['2016-07-10', 1.57],
  ['2016-09-01', 1.56],
  ['2018-01-01', 1.8],
  ['2018-10-10', 2.6],
  ['2018-12-20', 2.2],
  ['2019-10-20', 2.9],
  ['2020-03-08', 3.1],
  ['2020-03-30', 2.9],
  ['2020-05-10', 3.05],
  ['2020-06-10', 2.9],
  ['2021-05-15', 3.5],
  ['2021-07-20', 2.9],
  ['2022-05-10', 3.75],
  ['2022-07-20', 3.6],
  ['2022-11-20', 3.95],
  ['2023-01-01', 3.85],
  ['2024-04-20', 4.75],
  ['2024-07-10', 4.55],
  ['2025-06-01', 5.15],
  ['2025-07-05', 5.05],
  ['2025-11-10', 5.4],
  ['2026-02-20', 5.15],
  ['2026-06-10', 5.35],
  ['2026-07-20', 5.25],
  ['2027-06-01', 5.7],
])

/** Compact target (`nBits`) of a unix day's blocks. */
export function bitsForDay(day: number): number {
  const retarget = day - ((day - genesisDay) % retargetDays)
  const mantissa = easiestMantissa / 2 ** doublings(retarget)
  // Like Bitcoin Core's encoding, the first of the three bytes is not zero.
  const isShort = mantissa < 0x8000
  return (targetExponent - Number(isShort)) * 2 ** 24 + Math.floor(isShort ? mantissa * 256 : mantissa)
}
