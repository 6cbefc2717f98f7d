import { ownAxes } from '#contract/chart-options.ts'
import type { ValueScale } from '#render/page/page.ts'
import type { AxisEnds } from './view.ts'

/** The outer quarters of an axis stretch it, the middle moves it. */
const stretchedShare = 0.25
const maxStretch = 10

/** Axis ends after a drag between two pixels. */
export function dragEnds(
  { axis, top, bottom, value }: ValueScale,
  from: number,
  to: number,
  [min, max]: AxisEnds,
): AxisEnds {
  const height = bottom - top
  const stretched = (before: number, after: number): number => (height * before) / Math.max(height / maxStretch, after)
  const at = (pixel: number): number => {
    const found = value(pixel)
    // More digits would lengthen the address.
    const step = 10 ** Math.floor(Math.log10(axis.scale === 'log' ? found : value(top) - value(bottom)) - 2.5)
    const rounded = Number((Math.round(found / step) * step).toPrecision(12))
    return isAboveZero(axis) ? Math.max(step, rounded) : rounded
  }
  if (from < top + stretchedShare * height) return [min, at(bottom - stretched(bottom - from, bottom - to))]
  if (from > bottom - stretchedShare * height) return [at(top + stretched(from - top, to - top)), max]
  return [at(bottom - to + from), at(top - to + from)]
}

/** Heatmaps begin above zero on any scale. */
const isAboveZero = ({ id, scale }: ValueScale['axis']): boolean => scale === 'log' || id === ownAxes.heatmap

export function findEndsProblem(
  axis: ValueScale['axis'],
  min: number | undefined,
  max: number | undefined,
): string | undefined {
  if (Number.isNaN(min) || Number.isNaN(max)) return 'Write numbers such as 0.5, -3, 120k or 1e6.'
  if (isAboveZero(axis) && Math.min(min ?? 1, max ?? 1) <= 0) return 'This axis shows only values above zero.'
  return min !== undefined && max !== undefined && min >= max ? 'The lower end must be below the upper end.' : undefined
}

const factors: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9, t: 1e12 }

/** Parses axis notation (`$1.5k`, `−12 %`); undefined if empty, NaN if invalid. */
export function parseNumber(text: string): number | undefined {
  const bare = text
    .replaceAll(/[\s$%]/g, '')
    .replace('\u2212', '-')
    .toLowerCase()
  if (bare === '') return undefined
  const [, number, letter = ''] = /^(-?(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d+)?(?:e[+-]?\d+)?)([kmbt]?)$/.exec(bare) ?? []
  const value = number ? Number(number.replaceAll(',', '')) * (factors[letter] ?? 1) : Number.NaN
  return Math.abs(value) <= maxEnd ? value : Number.NaN
}

const maxEnd = 1e100
