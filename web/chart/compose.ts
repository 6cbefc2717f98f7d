import { sizeLimits, type ThemeName } from '#contract/chart-options.ts'
import {
  type ChartResponse,
  type ChartSpecification,
  composeChart as composeFromSource,
  hasColorMarks,
  loadColorMarks,
  readChartResponse,
} from '#render/page/page.ts'
import { readIndex } from '../data/catalogue.ts'
import { cached, request } from '../data/client.ts'
import { toChartBody } from './chart-body.ts'
import { type ChartOptions, completeOptions, metricIds } from './chart-options.ts'
import { pageSource } from './source.ts'

export interface Picture {
  readonly width: number
  readonly height: number
  readonly theme: ThemeName
  readonly textScale?: number
  /** Values have all digits. */
  readonly isExact?: boolean
}

/**
 * Composes from columns of the API, or lets the API compose. The picture may be smaller than the
 * API allows.
 */
export async function composeChart(
  options: ChartOptions,
  { width, height, theme, textScale = 1, isExact = false }: Picture,
): Promise<ChartSpecification> {
  const ask = completeOptions({
    ...options,
    width: Math.max(sizeLimits.width[0], width),
    height: Math.max(sizeLimits.height[0], height),
    theme,
    text_scale: textScale,
  })
  const { specification } = isComposedByApi(options)
    ? await composeByApi(ask)
    : await composeFromSource(await pageSource(await requiredMetrics(ask), ask, isExact), ask)
  if (hasColorMarks(specification)) await loadColorMarks(specification.monthGrid !== undefined)
  return { ...specification, width, height }
}

/** Charts of distributions and earlier generations, with all digits. */
export const isComposedByApi = ({ heatmap, histogram, generation, as_of }: ChartOptions): boolean =>
  [heatmap, histogram, generation, as_of].some((one) => one !== undefined)

/** Including metrics in formulas and levels. */
export async function requiredMetrics(options: ChartOptions): Promise<string[]> {
  const { metrics = [], formulas = [], reference_lines = [], reference_areas = [], overlay } = options
  const texts = [
    ...formulas.map(({ expression }) => expression),
    ...reference_lines.map(({ y_formula }) => y_formula),
    ...[...metrics, ...formulas].map((one) => (typeof one === 'string' ? undefined : one.color_by)),
    ...reference_areas.flatMap(({ y1_formula, y2_formula }) => [y1_formula, y2_formula]),
  ].filter((text) => text !== undefined)
  const { byId } = await readIndex()
  // Omits references such as m1 and f1.
  const referred = (await readReferences(texts)).filter((id) => byId.has(id))
  const hasCandles = [options, ...metrics].some((one) => typeof one !== 'string' && one.style === 'candle')
  const candles = hasCandles ? ['open', 'high', 'low'] : []
  const ids = [...metricIds(options), ...referred, ...(overlay ? ['price'] : []), ...candles]
  return [...new Set(ids.map((id) => byId.get(id)?.id ?? id))]
}

async function readReferences(formulas: readonly string[]): Promise<string[]> {
  if (formulas.length === 0) return []
  const { parseFormula } = await import('#sql/formula/parse.ts')
  return formulas.flatMap((text) => [...parseFormula(text).references.keys()])
}

function composeByApi(ask: ReturnType<typeof completeOptions>): Promise<ChartResponse> {
  const body = JSON.stringify({ ...toChartBody(ask, ''), title: ask.title, format: 'spec' })
  return cached(`v1/chart/snapshot ${body}`, async () => {
    const response = await request('v1/chart/snapshot', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return readChartResponse(await response.text())
  })
}
