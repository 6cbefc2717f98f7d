import type { ChartSeries, ValueAxis } from '#render/page/page.ts'
import { hashPrefix, minus, plain, signed, space, unwrittenUnits } from '../parts/numbers.ts'

/** Unit and factor of written values: fractions on a percent axis become percent. */
export const readingUnit = ({ unit }: Pick<ChartSeries, 'unit'>, { format, factor }: ValueAxis) =>
  format === 'percent' || unit === '%' ? { unit: 'percent', factor } : { unit, factor: 1 }

/** Such as $49,183.27, 2,007, 1.0234, 15,353,421.32 BTC, 1,043.2 EH/s. */
export function writeReading(unit: string, value: number): string {
  if (!Number.isFinite(value)) return 'not known'
  const sign = value < 0 ? minus : ''
  const size = Math.abs(value)
  if (unit === 'USD') return `${sign}$${size >= 1 && size <= maxWhole ? plain(size, 2) : allDigits(size)}`
  const [factor, letter] = unit === 'H/s' ? hashPrefix(size) : [1, '']
  const name = unit === 'percent' ? '%' : letter + unit
  return `${sign}${allDigits(size / factor)}${unwrittenUnits.has(unit) ? '' : `${space}${name}`}`
}

/** Above it, not every whole number is a double. */
const maxWhole = 2 ** 53

/** Whole numbers have all digits, others at least five and large ones two decimals. */
function allDigits(size: number): string {
  if (size > maxWhole) return size.toExponential(4).replace('e+', 'e')
  if (Number.isInteger(size)) return plain(size, 0)
  if (size >= 1) return plain(size, Math.max(2, 4 - Math.floor(Math.log10(size))))
  return String(Number(size.toPrecision(5))).replace('e-', `e${minus}`)
}

/** Signed; empty if a value is unknown. */
export function writeDifference(unit: string, from: number, to: number): string {
  const size = Math.abs(to - from)
  if (!Number.isFinite(size)) return ''
  return signed(to - from, unit === 'percent' ? `${writeReading('', size)}${space}points` : writeReading(unit, size))
}
