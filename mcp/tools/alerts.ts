import { z } from 'zod'
import { accountSuccessSchema } from '#contract/accounts/rows.ts'
import { alertRow, alertTrialRow, changedAlertRow } from '#contract/alerts.ts'
import { metricId, parameters } from '../answers/parameters.ts'
import { significantOrNull } from '../answers/rows.ts'
import { ToolError } from '../client/tool-error.ts'
import { formula } from './series.ts'
import { defineTool } from './tool.ts'

const path = '/v1/alerts'
const maxDays = 20

const alert = z.object({
  id: z.string(),
  fires_if: z.string(),
  is_met: z.boolean().nullable(),
  value: z.number().nullable(),
  as_of: z.string().nullable(),
  active: z.boolean(),
  paused: z.string().nullable().describe('Why it cannot fire now'),
  fired: z.int(),
  last_fired_at: z.string().nullable(),
  sends_to: z.array(z.string()),
  problem: z.string().nullable().describe('Why its newest message is not delivered'),
})

const number = z.number().optional()
/** Flat: Gemini and OpenAI's strict mode know no objects of any shape. The API checks it. */
const condition = parameters({
  kind: z.enum(['above', 'below', 'outside', 'change', 'all_time_high', 'percentile']),
  ...{ value: number, low: number, high: number, percent: number, days: number, percentile: number },
  direction: z.enum(['rise', 'fall', 'either']).optional(),
})

export const alerts = defineTool({
  name: 'manage_alerts',
  title: 'Alerts',
  description:
    'Alerts of the user, on days on which a metric or formula begins to meet a condition: list, try (when it would have fired), create, remove. try needs no account. Let the user decide on create and remove, after try.',
  more: 'An alert is created with mail or without a message; POST /v1/alerts also takes Slack, Discord, Telegram, ntfy and webhooks.',
  isWriting: true,
  input: parameters({
    action: z.enum(['list', 'try', 'create', 'remove']),
    metric: metricId.optional(),
    formula: formula.optional(),
    condition: condition
      .optional()
      .describe(
        'above and below have value, outside low and high, change percent, days and direction, percentile percentile',
      ),
    email: z.boolean().default(true).describe('Send mail'),
    id: z.string().max(40).optional().describe('For remove'),
  }),
  output: z.object({
    alerts: z.array(alert).optional(),
    trial: z
      .object({
        fires_if: z.string(),
        times: z.int().describe('How often it would have fired'),
        newest: z.array(z.array(z.union([z.string(), z.number(), z.null()]))).describe('Newest first: date and value'),
        from: z.string().nullable().describe('First day on which the condition is known'),
        to: z.string().nullable(),
        is_met: z.boolean().nullable(),
        each_block: z.boolean().describe('Evaluated after each block, too'),
        paused: z.string().nullable(),
      })
      .optional(),
    removed: z.string().optional(),
  }),
  run: async ({ action, email, id, ...watched }, { rest, signal }) => {
    switch (action) {
      case 'list':
        return { alerts: (await rest.get(path, accountSuccessSchema(alertRow), signal)).data.map(describeAlert) }
      case 'create': {
        const created = accountSuccessSchema(changedAlertRow)
        const { data } = await rest.post(path, { ...watched, email }, created, signal, { isOnce: true })
        return { alerts: data.map(describeAlert) }
      }
      case 'remove':
        if (id === undefined) throw new ToolError('id is missing', 'give the id that list shows')
        await rest.send(`${path}/${encodeURIComponent(id)}`, signal, { method: 'DELETE', isOnce: true })
        return { removed: id }
      case 'try': {
        const { data } = await rest.post(`${path}/trial`, watched, tried, signal)
        const [{ summary: fires_if, count: times, fired, value: _, ...state }] = data
        const newest = fired.slice(-maxDays).reverse()
        return {
          trial: {
            fires_if,
            times,
            newest: newest.map(({ date, value }) => [date, significantOrNull(value)]),
            ...state,
          },
        }
      }
    }
  },
})

const tried = accountSuccessSchema(alertTrialRow).extend({ data: z.tuple([alertTrialRow]) })

const describeAlert = ({ summary: fires_if, email, webhook, ...row }: z.output<typeof alertRow>) =>
  alert.parse({ ...row, fires_if, sends_to: [...(email ? ['mail'] : []), ...(webhook ? [webhook.host] : [])] })
