import { type AgeBand, ageBands as bands } from '#contract/cohorts.ts'

/** Labels of age bands, youngest first. */
export const ageBands: Readonly<Record<string, string>> = Object.fromEntries(
  bands.map(({ id }) => [id, formatBand(id)]),
)

/** `1d_1w` as `1 d – 1 w`, `1m_3m` as `1 – 3 m`. */
function formatBand(band: AgeBand): string {
  const [from = '', to = ''] = band.split('_')
  if (to === '') return `< ${formatAge(from)}`
  if (to === 'plus') return `> ${formatAge(from)}`
  return `${from.at(-1) === to.at(-1) ? from.slice(0, -1) : formatAge(from)} – ${formatAge(to)}`
}

function formatAge(span: string): string {
  return `${span.slice(0, -1)} ${span.slice(-1)}`
}
