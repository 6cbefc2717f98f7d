import { format } from 'd3-format'
import { satsPerCoin } from '#base/bitcoin.ts'

export const minus = '\u2212'
const thin = '\u202f'
export const space = '\u00a0'

const large = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
] as const
const physical = [
  [1e21, 'Z'],
  [1e18, 'E'],
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
] as const

export const unwrittenUnits = new Set(['ratio', 'index', 'count', 'difficulty', 'first day = 100', ''])

/** Such as $48,047, 15.35M BTC, 1,043 EH/s, 3.1 %, 1.04. */
export function writeValue(unit: string, value: number): string {
  if (!Number.isFinite(value)) return 'not known'
  const sign = value < 0 ? minus : ''
  const size = Math.abs(value)
  switch (unit) {
    case 'USD':
      return `${sign}$${formatDigits(size, 2)}`
    case 'percent':
      return `${sign}${plain(size, size >= 100 ? 0 : 1)}${space}%`
    case 'H/s': {
      const [factor, letter] = hashPrefix(size)
      if (factor === 1) return `${sign}${formatDigits(size, 0)}${space}H/s`
      return `${sign}${plain(size / factor, size / factor >= 100 ? 0 : 1)}${space}${letter}H/s`
    }
    default:
      if (unit === 'count' && Number.isInteger(size) && size < 1_000) return `${sign}${size}`
      return `${sign}${formatDigits(size, 0)}${unwrittenUnits.has(unit) ? '' : `${space}${unit}`}`
  }
}

export const hashPrefix = (size: number) => physical.find(([min]) => size >= 10 * min) ?? ([1, ''] as const)

/** From 1, three digits or more; below, up to three. Dollars between 1 and 1,000 have cents. */
function formatDigits(size: number, cents: number): string {
  if (size >= 1e16) return size.toExponential(2).replace('e+', 'e')
  const [factor, letter] = large.find(([min]) => size >= min) ?? [1, '']
  if (factor > 1) return plain(size / factor, size / factor >= 100 ? 1 : 2) + letter
  if (size >= 1_000) return plain(size, 0)
  if (size >= 100) return plain(size, cents || 1)
  if (size >= 1) return plain(size, 2)
  if (size === 0) return '0'
  return size < 1e-6 ? size.toExponential(1).replace('e-', `e${minus}`) : String(Number(size.toPrecision(3)))
}

export const plain = (value: number, decimals: number): string => format(`,.${decimals}f`)(value)

export const writeCount = format(',d')

export const writeSats = (sats: number): string =>
  `${writeCount(Math.floor(sats / satsPerCoin))}.${String(sats % satsPerCoin).padStart(8, '0')}`

/** Units compared by difference; others by percent. */
const differenceUnits = new Set(['ratio', 'percent', 'index'])

/** Signed change: +0.039, −0.6 %. Undefined without an earlier value. */
export function writeChange(unit: string, from: number | null, to: number): string | undefined {
  if (from === null) return undefined
  if (differenceUnits.has(unit)) {
    const difference = to - from
    const text =
      unit === 'percent' ? `${Math.abs(difference).toFixed(1)}${space}points` : formatDifference(Math.abs(difference))
    return signed(difference, text)
  }
  if (from <= 0 || to < 0) return signed(to - from, writeValue(unit, Math.abs(to - from)))
  const percent = 100 * (to / from - 1)
  return signed(
    percent,
    `${plain(Math.abs(percent), Math.abs(percent) < 10 ? (Math.abs(percent) < 1 ? 2 : 1) : 0)}${space}%`,
  )
}

const formatDifference = (size: number): string => (size >= 10 ? plain(size, 1) : size.toFixed(3))
/** A change that rounds to zero has no sign. */
export const signed = (value: number, text: string): string =>
  (/[1-9]/.test(text) ? (value < 0 ? minus : '+') : '') + text

export function ordinal(percentile: number): string {
  const whole = Math.round(percentile)
  const tens = whole % 100
  const ending = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][whole % 10] ?? 'th')
  return `${whole}${ending}`
}

/** `20 November 2026`, from YYYY-MM-DD. */
export const longDate = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `7 h ago`. */
export function ago(instant: string, now: number): string {
  const minutes = Math.max(0, Math.round((now - Date.parse(instant)) / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}${thin}min ago`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours}${thin}h ago` : `${Math.round(hours / 24)}${thin}days ago`
}
