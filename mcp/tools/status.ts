import { z } from 'zod'
import { paths } from '#contract/paths.ts'
import { statusSchema } from '#contract/status.ts'
import { simulatedNote } from '../answers/notes.ts'
import { parameters } from '../answers/parameters.ts'
import { round } from '../answers/rows.ts'
import { defineTool } from './tool.ts'

const msPerHour = 3_600_000

export const status = defineTool({
  name: 'get_status',
  title: 'State and age of the data',
  description:
    'State of the service: whether the data are simulated, the last full day (UTC) of daily values, age of the newest block, last day of each kind of market data, and problems if there are any.',
  input: parameters({}),
  output: z.object({
    notes: z.array(z.string()).optional(),
    state: z.string(),
    problems: z.array(z.string()),
    simulated: z.boolean().nullable(),
    network: z.string().nullable(),
    last_full_day: z.string().nullable(),
    newest_block: z.object({ height: z.number(), time: z.string(), age_hours: z.number() }).nullable(),
    market_data_until: z.record(z.string(), z.string()),
    next_update: z.string().nullable(),
    generation: z.string().nullable(),
  }),
  run: async (_, { rest, signal }) => {
    const { state, at, generations, market } = await rest.get(paths.status, statusSchema, signal)
    const current = generations.find(({ is_current }) => is_current)
    const age = current && (Date.parse(at) - Date.parse(current.tip_time)) / msPerHour
    return {
      ...(current?.simulated && { notes: [simulatedNote] }),
      state: state.status,
      problems: state.problems.map(({ message }) => message),
      simulated: current?.simulated ?? null,
      network: current?.network ?? null,
      last_full_day: current?.last_date ?? null,
      newest_block:
        current && age !== undefined
          ? { height: current.tip_height, time: current.tip_time, age_hours: round(age, 1) }
          : null,
      market_data_until: Object.fromEntries(market.map(({ table, last_date }) => [table, last_date])),
      next_update: state.next_update,
      generation: current?.id ?? null,
    }
  },
})
