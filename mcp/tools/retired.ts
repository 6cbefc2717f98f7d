import { z } from 'zod'
import { rows } from '#contract/rows.ts'
import { parameters } from '../answers/parameters.ts'
import { readExchanges } from '../client/registries.ts'
import { readTreasuryKinds, treasuryKindsSchema } from './markets.ts'
import { rankingAnswer, readRanking } from './ranking.ts'
import { defineTool } from './tool.ts'

const retired = {
  isRetired: true,
  input: parameters({ offset: z.int().min(0).max(100_000).default(0) }),
}
const hint = (name: string, now: string): string => `${name} has become ${now}: use that from now on.`

/** Lists of version 0.1 under their old names, for one more release. */
const list = (name: string, of: 'funds' | 'treasuries') =>
  defineTool({
    name,
    title: name,
    description: `Has become get_ranking with of ${of}.`,
    ...retired,
    output: rankingAnswer,
    run: async ({ offset }, call) => {
      const request = { of, by: undefined, type: undefined, days: 1, order: 'highest' as const, limit: 100 }
      const { notes = [], items, ...answer } = await readRanking(request, call)
      return { notes: [hint(name, `get_ranking with of: ${of}`), ...notes], ...answer, items: items.slice(offset) }
    },
  })

const exchanges = defineTool({
  name: 'list_exchanges',
  title: 'list_exchanges',
  description: 'Has become get_ranking with of exchanges.',
  ...retired,
  output: z.object({ notes: z.array(z.string()), items: z.array(rows.exchanges) }),
  run: async ({ offset }, call) => ({
    notes: [hint('list_exchanges', 'get_ranking with of: exchanges')],
    items: (await readExchanges(call)).slice(offset),
  }),
})

const stats = defineTool({
  name: 'get_treasury_stats',
  title: 'Treasuries by kind',
  description: 'Has become all_kinds of get_treasuries.',
  ...retired,
  output: treasuryKindsSchema.extend({ notes: z.array(z.string()) }),
  run: async (_, call) => ({
    notes: [hint('get_treasury_stats', 'all_kinds of get_treasuries')],
    ...(await readTreasuryKinds(call)),
  }),
})

export const retiredTools = [list('list_etfs', 'funds'), exchanges, list('list_treasuries', 'treasuries'), stats]
