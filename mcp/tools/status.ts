import { healthSchema } from '#contract/health.ts'
import { paths } from '#contract/paths.ts'
import { parameters } from '../answers/parameters.ts'
import { defineTool } from './tool.ts'

export const status = defineTool({
  name: 'get_status',
  title: 'Age of the data',
  description:
    'Up to which block the data reach, how old that block is in seconds, whether the data are simulated, and what is wrong with the service if anything is. Daily values end with the last full day (UTC).',
  input: parameters({}),
  output: healthSchema,
  run: async (_, { rest, signal }) => ({ structured: await rest.get(paths.health, healthSchema, signal) }),
})
