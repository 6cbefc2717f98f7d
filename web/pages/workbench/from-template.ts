import { emptyState, type Line, limits, newLine, styles, type WorkbenchState } from './workbench-state.ts'

/** Metrics come first, so that m1, m2 … are the same. Undefined for templates that do not fit. */
export async function readTemplate(name: string): Promise<WorkbenchState | undefined> {
  const { fitsWorkbench, loadTemplates } = await import('../charts/charts.tsx')
  const { templates } = await loadTemplates()
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined
  if (!template || !fitsWorkbench(template)) return undefined
  const { title, metrics = [], formulas = [], calendar, overlay, y_axes = [], reference_lines = [] } = template
  const { halvings = false, events = false, interval = 'day', normalize = 'none' } = template
  const items = metrics.map((one) => (typeof one === 'string' ? { id: one } : one))
  const panes = y_axes.filter(({ range: [, top] = [0, 100] }) => top < 100).map(({ id }) => id)
  const toLine = (text: string, { y_axis_id, style, color = '' }: Omit<(typeof items)[number], 'id'> = {}): Line => ({
    ...newLine(text),
    axis: (['below', 'lowest'] as const)[panes.indexOf(y_axis_id)] ?? 'auto',
    style: styles.find(([one]) => one === style)?.[0] ?? 'auto',
    color,
  })
  const stacked = template.stacked ?? items.some((one) => one.stacked)
  return {
    ...emptyState,
    // Cells do not name their metric: without a title of its own, the chart is named after it.
    title: calendar ? '' : title,
    lines: [
      ...items.map(({ id, ...look }) => toLine(id, look)),
      ...formulas.map(({ expression, ...look }) => toLine(expression, look)),
      ...(calendar ? [newLine(calendar.metric)] : []),
      ...(overlay ? [toLine(overlay, { style: 'line' })] : []),
    ].slice(0, limits.lines),
    levels: reference_lines.flatMap(({ y }) => y ?? []),
    ...{ halvings, events, interval, normalize },
    stacked: stacked === 'percent' ? stacked : stacked ? 'yes' : 'no',
    cycles: template.x_axis === 'day_offset' ? (template.cycle_family ?? 'halving') : calendar ? 'months' : 'none',
  }
}
