import { type AgeBand, ageBands as bands } from '#contract/cohorts.ts'
import type { SeriesOptions } from './request.ts'

/** The metrics of a measure by age of coins as one stack on the axis `share`, youngest first. */
export const ageBands = (measure: string): ({ id: string } & SeriesOptions)[] =>
  bands.map(({ id }) => ({
    id: `${measure}_${id}`,
    label: formatBand(id),
    stacked: true,
    style: 'area',
    y_axis_id: 'share',
  }))

/** `1d_1w` as `1 d – 1 w`, `1m_3m` as `1 – 3 m`. */
function formatBand(band: AgeBand): string {
  const [from = '', to = ''] = band.split('_')
  if (to === '') return `< ${formatAge(from)}`
  if (to === 'plus') return `> ${formatAge(from)}`
  return `${from.at(-1) === to.at(-1) ? from.slice(0, -1) : formatAge(from)} – ${formatAge(to)}`
}

const formatAge = (span: string): string => `${span.slice(0, -1)} ${span.slice(-1)}`
