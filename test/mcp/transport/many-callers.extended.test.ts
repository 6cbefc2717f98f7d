import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'
import { keyOf, temporaryDataDir } from '#test/api/support/test-server.ts'
import { trials } from '#test/support/trials.ts'
import { http } from '../support/clients.ts'
import { serveTools, type ToolService } from '../support/tool-service.ts'

/** Rounds per caller; `npm run bench -- tools` runs for minutes. */
const rounds = trials(2, 5)
const callers = 50

const data = temporaryDataDir()
let service: ToolService

beforeAll(async () => {
  await publishSmallGeneration(data.dataDir)
  service = await serveTools(data.dataDir)
})

afterAll(async () => {
  await service?.close()
  data.remove()
})

const rowsSchema = z.object({ columns: z.array(z.string()), row_count: z.number() })

test('fifty callers at once each see what their own key allows, and nobody fails', async () => {
  const tiers = ['pro', 'enterprise'] as const
  const keys = await Promise.all(
    Array.from({ length: callers }, async (_, i) => {
      const tier = tiers[i % 2]!
      return { tier, key: await keyOf(data.dataDir, tier, `caller${i}@example.org`) }
    }),
  )
  const work = keys.map(async ({ tier, key }, i) => {
    const assistant = await http.connect(service, key)
    try {
      for (let round = 0; round < rounds; round++) {
        // A single day has no columns.
        const days = 2 + ((i * 7 + round * 13) % 390)
        const metrics = ['price', 'secret_price', 'density']
        const { columns, row_count } = rowsSchema.parse(await assistant.ask('get_series', { metrics, days }))
        expect(columns).toEqual(['date', 'price', 'secret_price', ...(tier === 'enterprise' ? ['density'] : [])])
        expect(row_count).toBe(days)
        const cost = await assistant.call('get_cost_basis')
        expect(cost.isError ?? false).toBe(tier === 'pro')
        await assistant.ask('search_metrics', { query: 'price' })
        await assistant.ask('get_prices', { fields: ['price'], days })
      }
    } finally {
      await assistant.close()
    }
  })
  await Promise.all(work)
  expect(service.log()).toBe('')
})
