import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { thirtySearches } from '../../contract/search/thirty-searches.ts'
import { type Assistant, http } from '../support/clients.ts'
import { key, serveDemo, service } from '../support/demo-service.ts'

serveDemo()
let assistant: Assistant
beforeAll(async () => {
  assistant = await http.connect(service, key)
})
afterAll(() => assistant?.close())

const metrics = z.array(z.looseObject({ id: z.string() }))
const ofRest = z.object({ data: metrics, meta: z.object({ note: z.string().optional() }) })
const ofTool = z.object({ metrics, not_tracked: z.string().optional() })

test.each(thirtySearches)('%s is answered by the API and by the tools alike', async (query, ...ids) => {
  const response = await fetch(`${service.url}/v1/metrics?q=${encodeURIComponent(query)}`)
  const { data, meta } = ofRest.parse(await response.json())
  const found = ofTool.parse(await assistant.ask('search_metrics', { query, limit: 3 }))
  const first = data.slice(0, 3).map(({ id }) => id)
  expect(found.metrics.map(({ id }) => id)).toEqual(first)
  expect(found.not_tracked).toBe(meta.note)
  if (ids.length === 0) expect(meta.note).toMatch(/^not tracked: .+; .+/)
  else expect(first).toEqual(expect.arrayContaining(ids))
})

test('what is missing is told by both searches, and a search without any known word is refused', async () => {
  for (const query of ['dogecoin price', 'nft volume', 'tesla stock']) {
    const found = ofTool.parse(await assistant.ask('search_metrics', { query }))
    expect(found.not_tracked, query).toMatch(/^not tracked: /)
    expect((await assistant.ask('search', { query })).not_tracked, query).toBe(found.not_tracked)
  }
  expect(await assistant.fail('search_metrics', { query: 'weather tomorrow' })).toContain('no metric fits')
})
