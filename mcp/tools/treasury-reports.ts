import { z } from 'zod'
import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { pageThatFits } from '../answers/bounded.ts'
import { metaNotes, withNotes } from '../answers/notes.ts'
import { parameters } from '../answers/parameters.ts'
import { significantOrNull } from '../answers/rounding.ts'
import { defineTool } from './tool.ts'

const reportsSchema = successSchema(rows.datHoldings)

export const treasuryReports = defineTool({
  name: 'get_treasury_reports',
  title: 'Reports of one treasury',
  description: 'What one company or other entity has reported to hold (BTC), when, and the source; newest first.',
  input: parameters({
    entity_id: z.int().min(1).max(999_999_999).describe('Id from get_ranking of treasuries'),
    limit: z.int().min(1).max(1_000).default(10),
    offset: z.int().min(0).max(100_000).default(0),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    count: z.number(),
    items: z.array(rows.datHoldings),
    next_offset: z.number().nullable().describe('offset of the next page; null at the end'),
  }),
  run: async ({ entity_id, limit, offset }, { rest, signal }) => {
    const path = requestAddress('/v1/dat/company/{id}/holdings', { id: entity_id, limit: 10_000 })
    const { data, meta } = await rest.get(path, reportsSchema, signal)
    const reports = data.map(({ btc_amount, net_flow_btc, ...row }) => ({
      ...row,
      btc_amount: significantOrNull(btc_amount),
      net_flow_btc: significantOrNull(net_flow_btc),
    }))
    const notes = metaNotes(meta)
    const { page: items, next_offset } = pageThatFits(reports, offset, limit, notes)
    return { ...withNotes(notes), count: data.length, items, next_offset }
  },
})
