import { formatLocale, precisionFixed, precisionPrefix } from 'd3-format'
import type { AxisFormat } from './specification.ts'

const { format: formatNumber, formatPrefix } = formatLocale({
  decimal: '.',
  thousands: ',',
  grouping: [3],
  currency: ['$', ''],
  minus: '\u2212',
})

/**
 * Formats a tick with the decimals that neighbours at distance `step` need: 1.2T, 84.3k, $120k, 12
 * %. Without a step (log axis): up to two significant digits.
 */
export function formatTick(format: AxisFormat, value: number, step?: number): string {
  const size = Math.abs(value)
  const lastDigit = size === 0 ? 1 : (step ?? size / 10)
  const trim = step === undefined ? '~' : ''
  const symbol = format === 'currency' ? '$' : ''
  const unit = format === 'percent' ? '\u00a0%' : ''
  if ((size >= 1e15 && format !== 'si') || (size < 0.01 && precisionFixed(lastDigit) > 6)) {
    const decimals = Math.max(0, exponent(size) - exponent(lastDigit))
    return formatNumber(`${symbol}.${decimals}${trim}e`)(value).replace('+', '').replace('e-', 'e\u2212') + unit
  }
  let prefixed = format === 'percent' && size < 1e5 ? 1 : Math.max(1, size)
  // Many decimals hide the difference between ticks: 84,302, not 84.302k.
  while (prefixed >= 1e3 && precisionPrefix(lastDigit, prefixed) > (prefixed < 1e6 ? 1 : 2)) prefixed /= 1e3
  const text = formatPrefix(`${symbol},.${precisionPrefix(lastDigit, prefixed)}${trim}`, prefixed)(value)
  return (format === 'si' ? text : text.replace('G', 'B')) + unit
}

/**
 * Formats a value with three significant digits: 84.3k, $1.21T, 0.0123, −62.4 %, or as many as
 * ticks `step` apart need: 19,558 beside 19,540 and 19,560. Tiny shares are below 0.001 %.
 */
export function formatValue(format: AxisFormat, value: number, step = Number.POSITIVE_INFINITY): string {
  if (!Number.isFinite(value)) return formatTick(format, 0)
  // Rounds first: 9.996 is 10.0, with one decimal.
  const rounded = Number(value.toPrecision(3))
  const digit = 10 ** (exponent(rounded) - 2)
  if (format === 'percent' && step >= 1 && rounded > 0 && rounded < 0.001) return '< 0.001\u00a0%'
  return step < digit ? formatTick(format, value, step) : formatTick(format, rounded, digit)
}

const exponent = (value: number): number => Math.floor(Math.log10(Math.abs(value)))
