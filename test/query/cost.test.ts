import { realpathSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'
import { expectedMs } from '#query/answers/cost.ts'
import { Database } from '#query/database.ts'
import { Fields } from '#query/fields.ts'
import { Published } from '#query/published.ts'
import { View } from '#query/view.ts'
import { currentGeneration, publishedFolder } from '#sql/generation.ts'
import { makeServedChain, type ServedChain } from '../api/support/served-chain.ts'

/** Between requests of a few thousand values and those that read or compute much. */
const longMs = 30
let chain: ServedChain
let database: Database
let view: View
beforeAll(async () => {
  chain = await makeServedChain()
  const { dataDir } = chain
  database = await Database.open([realpathSync(publishedFolder(dataDir))], path.join(dataDir, 'tmp'), '200MB')
  const published = await Published.open(database, currentGeneration(dataDir)!)
  await published.verify()
  view = new View(published, 'pro')
})
afterAll(async () => {
  await database.close()
  chain.remove()
})

it.each([
  [false, 'series', { metrics: 'price,mvrv', limit: 1 }],
  [false, 'series', { metrics: 'price,mvrv', limit: 5000 }],
  [true, 'series', { metrics: 'price,mvrv,nupl,sopr,asopr,nvt', limit: 10_000, interval: '1h' }],
  [true, 'series', { metrics: Array(300).fill('price').join(), limit: 1000, interval: '1w' }],
  [true, 'series', { metrics: 'price,relized_price', limit: 1 }],
  [false, 'series', { formula: 'price / mvrv', limit: 1 }],
  [true, 'series', { formula: 'price / mvvr', limit: 1 }],
  [false, 'metric', { metric_id: 'MVRV' }],
  [true, 'metric', { metric_id: 'mvvr' }],
  [false, 'metrics', { limit: 10 }],
  [true, 'metrics', { q: 'price', limit: 10 }],
] as const)('is large (%s) for %s with %o, as is all that searches', (isLarge, name, parameters) => {
  const endpoint = endpoints[name]
  expect(expectedMs(view, endpoint, parameters, new Fields(endpoint, undefined)) > longMs).toBe(isLarge)
})
