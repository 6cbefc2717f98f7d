import { genesisDay } from './calendar.ts'
import { curve } from './curve.ts'

/** Days between two retargets. */
const retargetDays = 14

/** The lowest difficulty there is: the target is 0x7fffff and 29 zero bytes. */
const easiestMantissa = 0x7f_ffff
const targetExponent = 0x20

/**
 * Doublings of the difficulty since the first block. Real difficulty rose by 2^47; its ups and downs are the same here
 * on a scale on which a block is found in microseconds.
 */
const doublings = curve([
  ['2009-01-03', 0],
  ['2010-01-01', 0],
  ['2011-01-01', 1.5],
  ['2011-06-20', 2.2],
  ['2011-12-01', 2.1],
  ['2013-02-01', 2.3],
  ['2014-01-01', 3.2],
  ['2014-12-01', 3.75],
  ['2016-01-01', 3.9],
  ['2018-01-01', 4.35],
  ['2018-10-10', 4.55],
  ['2018-12-20', 4.45],
  ['2020-03-01', 4.65],
  ['2021-05-20', 4.75],
  ['2021-07-10', 4.6],
  ['2022-05-01', 4.75],
  ['2024-05-01', 4.9],
  ['2026-01-01', 5],
])

/** The compact target (`nBits`) of the blocks of a unix day. */
export function bitsOn(day: number): number {
  const retarget = day - ((day - genesisDay) % retargetDays)
  return targetExponent * 2 ** 24 + Math.floor(easiestMantissa / 2 ** doublings(retarget))
}

/** Whether a hash (in the byte order of the block files) lies below the target of such bits. */
export function isBelowTarget(hash: Uint8Array, bits: number): boolean {
  return ((hash[31]! << 16) | (hash[30]! << 8) | hash[29]!) < (bits & 0xff_ffff)
}
