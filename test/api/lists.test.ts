import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { serveChain, server } from './support/chain-service.ts'

serveChain()
const read = async (target: string) => (await fetch(`${server.url}/v1/${target}`)).text()
const ask = async (target: string) => JSON.parse(await read(target))
const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id)

describe('the list of metrics', () => {
  test('names measures with their cohorts, and every metric on request', async () => {
    const text = await read('metrics')
    // Hourly pricing and 16 more years add some 36 kB to what this chain has; the limit is 300 kB (307,200 bytes).
    expect([text.length < 265_000, gzipSync(text).length < 50_000]).toEqual([true, true])
    const measures: { id: string; cohorts: string[] }[] = JSON.parse(text).data
    const all = new Set(idsOf(await ask('metrics?variants=all')))
    expect(measures.length).toBeLessThan(all.size / 3)
    const own = measures.flatMap(({ id, cohorts }) => [
      id,
      ...cohorts.map((cohort) => {
        const measure = id === 'circulating_supply' ? 'supply' : id
        return /^[ls]th/.test(cohort) ? `${cohort}_${measure}` : `${measure}_${cohort}`
      }),
    ])
    expect(own.filter((id) => !all.has(id))).toEqual([])
    expect(new Set(own).size).toBe(own.length)
    const mvrv = measures.find(({ id }) => id === 'mvrv')
    expect(mvrv?.cohorts).toEqual(expect.arrayContaining(['lth', 'sth_smooth', '1y_2y', 'under_1y', 'y2009']))
    for (const id of ['lth_supply', 'supply_1y_2y', 'supply_y2009']) expect(own).toContain(id)
    // Metrics that an endpoint has as a field of its own, whatever their ids end with.
    const fields = ['prices', 'blockchain', 'coindays'].map(async (endpoint) => {
      const { data } = await ask(`${endpoint}?limit=1`)
      return Object.keys(data[0] ?? {})
    })
    const listed = new Set(own)
    const missing = (await Promise.all(fields)).flat().filter((name) => all.has(name) && !listed.has(name))
    expect(missing).toEqual([])
    expect(idsOf(await ask('metrics?q=mvrv_1y_2y'))[0]).toBe('mvrv_1y_2y')
    const categories: { count: number }[] = (await ask('metrics/categories')).data
    expect(categories.reduce((sum, { count }) => sum + count, 0)).toBe(measures.length)
  })
})

test.each([
  ['p2tr', 'asopr', 'supply'],
  ['1y_2y', 'created_outputs', 'spent_outputs'],
])('the cohort %s has no field %s, and says so', async (cohort, missing, field) => {
  const [found, refused] = await Promise.all(
    [field, missing].map((name) => ask(`cohort/metrics/${cohort}?fields=${name}&limit=1`)),
  )
  expect(found.data[0]).toHaveProperty(field)
  expect(refused.error).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining(missing) })
})

describe('limit and offset', () => {
  test.each([
    'metrics',
    'metrics?q=price',
    'metrics/categories',
    'metrics/index',
    'metrics/latest',
    'metrics/percentiles',
    'tables',
  ])('page through %s', async (target) => {
    const mark = target.includes('?') ? '&' : '?'
    const { data: whole } = await ask(target)
    const half = Math.ceil(whole.length / 2)
    const first = await ask(`${target}${mark}limit=${half}`)
    const second = await ask(`${target}${mark}limit=${half}&offset=${first.meta.next_offset}`)
    expect([...first.data, ...second.data]).toEqual(whole)
    expect([first.meta.next_offset, second.meta.next_offset]).toEqual([half, undefined])
    expect((await ask(`${target}${mark}offset=99999`)).data).toEqual([])
  })

  test.each(['', '&order=asc'])('page through the days of creation%s', async (order) => {
    const rowsOf = (query: string) => ask(`utxo/history?${query}${order}`)
    const [whole, first, second] = [
      await rowsOf('limit=20'),
      await rowsOf('limit=10'),
      await rowsOf('limit=10&offset=10'),
    ]
    const pages = order === '' ? [first, second] : [second, first]
    expect(pages.flatMap(({ data }) => data)).toEqual(whole.data)
    expect([first.meta.next_offset, second.meta.next_offset]).toEqual([10, 20])
  })

  test('page through a registry, also where dates have no effect', async () => {
    const { data: whole } = await ask('dat/registry?limit=10000')
    const page = await ask('dat/registry?limit=1&offset=1&start_date=2009-01-03')
    expect([page.data, page.meta.next_offset]).toEqual([whole.slice(1, 2), whole.length > 2 ? 2 : undefined])
  })
})
