import { expect, test } from 'vitest'
import { chartBody } from '#contract/charts.ts'
import { planChart } from '#render/request/chart-plan.ts'
import { metricId, templateBody } from '#render/request/template.ts'
import { requireTemplate, templates } from '#render/request/templates.ts'

const ids = new Set(Object.values(templates).flatMap(({ metrics = [] }) => metrics.map(metricId)))
const source = { template: requireTemplate, ids, lastDay: 20_000 }

test.each(Object.entries(templates))('the body that docs/charts.md shows of %s draws the same', (name, template) => {
  const body = chartBody.parse(templateBody(template))
  expect(planChart(body, source)).toEqual(planChart(chartBody.parse({ template: name }), source))
})
