import type { ChartBody } from '#contract/charts.ts'

/** A partial request; fields of a request replace or extend its fields. */
export interface ChartTemplate extends Omit<Partial<ChartBody>, 'template' | 'start_date'> {
  readonly title: string
  readonly subtitle: string
  /** YYYY-MM-DD */
  readonly start_date?: string
}

export const metricId = (item: NonNullable<ChartBody['metrics']>[number]): string =>
  typeof item === 'string' ? item : item.id

/** Whether a template's only metric is this one, or without metrics, each formula contains it. */
export const showsOnly = ({ metrics = [], formulas = [] }: ChartTemplate, id: string): boolean =>
  metrics.length === 0
    ? formulas.length > 0 && formulas.every(({ expression }) => expression.split(/\W+/).includes(id))
    : metrics.length === 1 && metricId(metrics[0]!) === id

/**
 * Body of POST /v1/chart/snapshot that draws a template's chart: all days unless it states others.
 */
export const templateBody = (template: ChartTemplate): Partial<ChartTemplate> =>
  template.days !== undefined || template.start_date !== undefined || template.x_axis === 'day_offset'
    ? template
    : { ...template, range: template.range ?? 'all' }
