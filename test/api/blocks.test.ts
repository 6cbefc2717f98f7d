import { expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { rows } from '#contract/rows.ts'
import { builtInPools } from '#ingest/market/mining-pools.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { firstDay, lastDay } from './support/served-chain.ts'

serveChain()

async function read<Row extends z.ZodType>(row: Row, target: string, tier: 'demo' | 'enterprise' = 'enterprise') {
  const response = await fetch(`${server.url}${target}`, { headers: keys.get(tier)! })
  expect(response.status, await response.clone().text()).toBe(200)
  const body = z.object({ data: z.array(row), meta: z.object({ next_cursor: z.string().optional() }) })
  return body.parse(await response.json())
}

const readBlocks = (query: string) => read(rows.blocks, `/v1/blocks?${query}`)
const heightsOf = async (query: string) => (await readBlocks(query)).data.map(({ height }) => height)
const heights = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + i * Math.sign(to - from))

const tipOf = async (): Promise<number> =>
  Number((await rowsOf(`SELECT max(height) FROM ${publishedTable(chain.dataDir, 'blocks')}`))[0]?.[0])

test('the newest blocks come first, those of the open day too', async () => {
  const tip = await tipOf()
  const { data } = await readBlocks('')
  expect(data.map(({ height }) => height)).toEqual(heights(tip, tip - 99))
  expect(data[0]!.date > isoDate(lastDay)).toBe(true)
  const published = await rowsOf(
    `SELECT date, height, hash, strftime(time, '%Y-%m-%dT%H:%M:%S.000Z'), pool, transactions, size, weight, fees_sats,
       fee_rate_median, issuance_sats, supply_sats
     FROM ${publishedTable(chain.dataDir, 'blocks')} ORDER BY height DESC LIMIT 100`,
  )
  expect(
    data.map((block) =>
      [
        ...[block.date, block.height, block.hash, block.time, block.pool, block.transactions, block.size, block.weight],
        ...[block.fees_sats, block.fee_rate_median?.toFixed(6) ?? null, block.issuance_sats, block.supply_sats],
      ].map((cell) => (cell === null ? null : String(cell))),
    ),
  ).toEqual(published.map((row) => row.map((cell, i) => (i === 9 && cell !== null ? Number(cell).toFixed(6) : cell))))
  expect(new Set(data.map(({ pool }) => pool)).size).toBeGreaterThan(4)
})

test('blocks are selected by height, by day and in both orders, and pages join', async () => {
  expect(await heightsOf('min_height=7&max_height=11')).toEqual(heights(11, 7))
  expect(await heightsOf('max_height=300&limit=4')).toEqual(heights(300, 297))
  const all = heights(0, await tipOf())
  expect(await heightsOf(`start_date=${isoDate(firstDay)}&order=asc`)).toEqual(all)
  expect(await heightsOf(`start_date=${isoDate(firstDay)}`)).toEqual(all.toReversed())
  const found: number[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { data, meta } = await readBlocks(`limit=400${cursor && `&cursor=${cursor}`}`)
    found.push(...data.map(({ height }) => height))
    cursor = meta.next_cursor
  }
  expect(found).toEqual(all.toReversed())
  const { data } = await readBlocks(`start_date=${isoDate(lastDay)}&end_date=${isoDate(lastDay)}`)
  expect(new Set(data.map(({ date }) => date))).toEqual(new Set([isoDate(lastDay)]))
})

test('pools have the blocks, fees and income of the days, and their share of all blocks', async () => {
  const days = `start_date=${isoDate(lastDay - 6)}&end_date=${isoDate(lastDay)}`
  const { data: blocks } = await readBlocks(days)
  const names = new Map(builtInPools().map(({ id, name, link }) => [id, { name, link }]))
  const byPool = Map.groupBy(
    blocks.filter(({ pool }) => pool !== null),
    ({ pool }) => pool!,
  )
  const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0)
  const [[work] = []] = await rowsOf(
    `SELECT sum(work) FROM ${publishedTable(chain.dataDir, 'days')} WHERE date > DATE '${isoDate(lastDay - 7)}'`,
  )
  const expected = [...byPool].map(([pool, own]) => {
    const fees_sats = sum(own.map((block) => block.fees_sats))
    return {
      date: isoDate(lastDay),
      from_date: isoDate(lastDay - 6),
      pool,
      ...names.get(pool),
      blocks: own.length,
      fees_sats,
      share_percent: expect.closeTo((100 * own.length) / blocks.length, 9),
      hash_rate: expect.closeTo((own.length / blocks.length) * (Number(work) / (7 * 86_400)), 6),
      coinbase_sats: fees_sats + sum(own.map((block) => block.issuance_sats)),
    }
  })
  expect(expected.length).toBeGreaterThan(3)
  expected.sort((a, b) => b.blocks - a.blocks || (a.pool < b.pool ? -1 : 1))
  for (const target of [`/v1/pools?${days}`, '/v1/pools', `/v1/pools?end_date=${isoDate(lastDay)}`])
    expect((await read(rows.pools, target)).data).toEqual(expected)
  expect((await read(rows.pools, '/v1/pools?limit=2')).data).toEqual(expected.slice(0, 2))
  expect((await read(rows.pools, '/v1/pools', 'demo')).data).toEqual(expected)
})
