import type { z } from 'zod'
import type { chartBody } from '#contract/charts.ts'

interface Example {
  readonly summary: string
  readonly value: z.input<typeof chartBody>
}

/** Example requests, shown in the OpenAPI document. */
export const chartExamples: Readonly<Record<string, Example>> = {
  metric: { summary: 'One metric', value: { metric: 'mvrv', days: 730, overlay: 'price' } },
  template: { summary: 'A ready chart, dark', value: { template: 'hodl_waves', days: 3650, theme: 'dark' } },
  formulas: {
    summary: 'Formulas beside a metric, and a level',
    value: {
      metrics: ['price', { id: 'volume', style: 'bar', y_axis_id: 'volume', opacity: 0.5, show_in_legend: false }],
      formulas: [
        { expression: 'sma(m1, 200)', label: '200-day mean', color: '#c9405f' },
        { expression: 'f1 * 2.4', label: '2.4 × the mean' },
      ],
      y_axes: [{ id: 'volume', side: 'left', range: [0, 25] }],
      reference_lines: [{ y_formula: 'cummax(m1)', label: 'All-time high', stroke_dasharray: '2 4' }],
      days: 1000,
      title: 'Price and its 200-day mean',
    },
  },
  cycles: {
    summary: 'A metric by days since each halving',
    value: { metric: 'mvrv', x_axis: 'day_offset', cycle_family: 'halving' },
  },
  heatmap: {
    summary: 'Distribution of the cost basis with the price over it',
    value: { heatmap: { metric: 'cost_basis_distribution', color_scale: 'plasma', y_scale: 'log' }, overlay: 'price' },
  },
}
