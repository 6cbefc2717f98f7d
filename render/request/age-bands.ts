import type { SeriesOptions } from './request.ts'

const bands = [
  ['24h', '< 24 h'],
  ['1d_1w', '1 d – 1 w'],
  ['1w_1m', '1 w – 1 m'],
  ['1m_3m', '1 – 3 m'],
  ['3m_6m', '3 – 6 m'],
  ['6m_12m', '6 – 12 m'],
  ['1y_2y', '1 – 2 y'],
  ['2y_3y', '2 – 3 y'],
  ['3y_5y', '3 – 5 y'],
  ['5y_7y', '5 – 7 y'],
  ['7y_10y', '7 – 10 y'],
  ['10y_plus', '> 10 y'],
] as const

/** The metrics of a measure by the age of coins, as bands of one stack on the axis `share`, youngest first. */
export function ageBands(measure: string): ({ id: string } & SeriesOptions)[] {
  return bands.map(([band, label]) => ({
    id: `${measure}_${band}`,
    label,
    stacked: true,
    style: 'area',
    axisId: 'share',
  }))
}
