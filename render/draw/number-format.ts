import type { AxisFormat } from './specification.ts'

const minus = '\u2212'
const noBreakSpace = '\u00a0'

type Prefix = readonly [size: number, letter: string]

const one: Prefix = [1, '']
const financial: Prefix[] = [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'k'], one]
const physical: Prefix[] = [[1e21, 'Z'], [1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], one]

/**
 * Formats the ticks of an axis: 1.2T, 84.3k, $120k, 12 %. `step`, the distance of neighbouring
 * ticks, determines the decimals; undefined (log axis) formats each value on its own.
 */
export function tickFormat(format: AxisFormat, step?: number): (value: number) => string {
  return (value) => addSignAndUnit(format, value, abbreviate(Math.abs(value), step, format))
}

function addSignAndUnit(format: AxisFormat, value: number, digits: string): string {
  const sign = value < 0 ? minus : ''
  if (format === 'currency') return `${sign}$${digits}`
  return format === 'percent' ? `${sign}${digits}${noBreakSpace}%` : `${sign}${digits}`
}

function abbreviate(value: number, step: number | undefined, format: AxisFormat): string {
  if (value === 0) return '0'
  const prefixes = format === 'si' ? physical : financial
  if (value >= prefixes[0]![0] * 1000) return formatExponential(value, step)
  const usable = format === 'percent' && value < 1e5 ? [one] : prefixes.filter(([size]) => value >= size || size === 1)
  for (const [size, letter] of usable) {
    const decimals = countDecimals(step === undefined ? Number((value / size).toPrecision(3)) : step / size)
    // A prefix with many decimals hides the difference between ticks: 84,302, not 84.302k.
    if (size > 1 && decimals > (size === 1e3 ? 1 : 2)) continue
    if (decimals > 6 && value < 0.01) return formatExponential(value, step)
    return groupThousands((value / size).toFixed(decimals)) + letter
  }
  return formatExponential(value, step)
}

function countDecimals(value: number): number {
  const rounded = Number(value.toPrecision(6))
  let decimals = 0
  while (decimals < 12 && Math.abs(Number(rounded.toFixed(decimals)) - rounded) > rounded * 1e-9) decimals++
  return decimals
}

/** 1.25e−8 */
function formatExponential(value: number, step: number | undefined): string {
  const exponent = Math.floor(Math.log10(value))
  const decimals = countDecimals(Number((step ?? Number(value.toPrecision(3))).toPrecision(6)) / 10 ** exponent)
  const [mantissa, power] = value.toExponential(decimals).split('e')
  return `${mantissa}e${power!.replace('+', '').replace('-', minus)}`
}

function groupThousands(digits: string): string {
  const [whole, fraction] = digits.split('.')
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/**
 * Formats a single value with three significant digits: 84.3k, $1.21T, 0.0123, −62.4 %, or with as
 * many as the ticks of an axis need that are `step` apart: 19,558 beside 19,540 and 19,560.
 */
export function formatValue(format: AxisFormat, value: number, step = Number.POSITIVE_INFINITY): string {
  if (value === 0 || !Number.isFinite(value)) return tickFormat(format)(0)
  // Rounded first: 9.996 is 10.0, which has one decimal with three digits.
  const rounded = Number(value.toPrecision(3))
  const digit = 10 ** (Math.floor(Math.log10(Math.abs(rounded))) - 2)
  return step < digit ? tickFormat(format, step)(value) : tickFormat(format, digit)(rounded)
}
