import { z } from 'zod'
import { chartBody } from '#contract/charts.ts'

/**
 * JSON Schema of chart requests, without rules between fields: a twentieth of the schemas' size.
 */
export function writeChartSchema(): string {
  const { $defs } = z.toJSONSchema(chartBody, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema, path }) => {
      delete jsonSchema.description
      delete jsonSchema.example
      if (path.at(-1) === 'as_of') jsonSchema.format = 'date-time'
      if (jsonSchema.pattern?.startsWith('^#')) jsonSchema.format = 'color'
    },
  })
  return JSON.stringify($defs?.ChartBody)
}
