import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { RowKeeper } from '#compute/live/keep-rows.ts'
import { networks } from '#ingest/chain/networks.ts'
import { publishedFolder } from '#sql/generation.ts'
import { keptFile, keptFolder, listKeptRows } from '#sql/kept-rows.ts'
import { withSession } from '#sql/session.ts'
import { publishedTable } from '#test/support/published.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { lastDay } from './support/served-chain.ts'

serveChain()

/** The node is followed from 16 days before the end of the published days to the day after it. */
const firstKept = lastDay - 16
const openDay = lastDay + 1
/** Three blocks a day, in these hours. */
const hours = [1, 1, 5]
/** Times in their headers, which are not always in order. */
const minutes = [10, 5, 0]
const firstHeight = 1_000
const ids = ['price', 'mvrv', 'realized_profit', 'tx_count'] as const
const { definitions } = createCatalogue(
  networks.mainnet,
  listCohorts({ days: Int32Array.of(firstKept) }, networks.mainnet.halvingInterval, openDay),
)
const metrics = definitions.filter(({ id }) => ids.some((name) => name === id))
const base = { lastDay: firstKept - 1, tip: { height: firstHeight - 1, hash: '' } }

interface MadeRow {
  readonly date: string
  readonly hour: string
  readonly height: number
  readonly hash: string
  readonly time: string
  readonly price_time: null
  readonly updated_at: string
  readonly price: number
  readonly mvrv: number
  readonly realized_profit: number
  readonly tx_count: number
}
const rows = Array.from({ length: openDay - firstKept + 1 }, (_, day) => firstKept + day).flatMap((day) =>
  hours.map((hour, i): MadeRow => {
    const height = firstHeight + (day - firstKept) * hours.length + i
    const at = (minute: number): string => new Date(86_400_000 * day + 3_600_000 * hour + 60_000 * minute).toISOString()
    return {
      ...{
        date: isoDate(day),
        hour: at(0),
        height,
        hash: `block ${height}`,
        time: at(minutes[i]!),
        price_time: null,
        updated_at: at(59),
      },
      price: 100 + height,
      mvrv: height / 1000,
      realized_profit: 5,
      tx_count: i,
    }
  }),
)

/** Follows these blocks one after the other. */
const follow = (made: readonly MadeRow[], known: readonly MadeRow[] = []): Promise<void> =>
  withSession({ temporaryFolder: path.join(chain.dataDir, 'tmp') }, async (connection) => {
    const keeper = new RowKeeper(connection, chain.dataDir)
    for (const [i, row] of made.entries()) {
      const hashes = [...known, ...made.slice(0, i + 1)].map(({ hash }) => hash)
      const blocks = publishedTable(chain.dataDir, 'blocks')
      await keeper.keep({ ...row }, metrics, { base, hashes, days: Int32Array.of(0) }, `read_parquet(${blocks})`)
    }
  })

beforeAll(() => follow(rows), 120_000)

type Row = Readonly<Record<string, unknown>>
async function ask(query: string, tier: 'demo' | 'pro' = 'pro') {
  const response = await fetch(`${server.url}/v1/series?${query}`, { headers: keys.get(tier) ?? {} })
  const { data, meta, error } = await response.json()
  return { status: response.status, data: (data ?? []) as Row[], meta, error, etag: response.headers.get('etag') }
}

const shown = ({ date, time, height, mvrv }: MadeRow): Row => ({ date, time, height, mvrv })
/** The last block of each hour. */
const lastOfHours = rows.filter(({ hour }, i) => rows[i + 1]?.hour !== hour)
const isThinned = ({ date }: MadeRow): boolean => date <= isoDate(openDay - 14)

test('blocks are kept for fourteen days, then the last one of each hour', async () => {
  const expected = rows.filter((row) => !isThinned(row) || lastOfHours.includes(row)).toReversed()
  const { data, meta } = await ask('metrics=mvrv&interval=block&limit=10000')
  expect(data).toEqual(expected.map(shown))
  expect(meta.available_from).toBe(rows[1]!.time)
})

test('pages of blocks go on where the last one ended, in either order', async () => {
  const first = await ask('metrics=mvrv&interval=block&limit=5')
  expect(first.meta).toMatchObject({ next_cursor: `${isoDate(lastDay)}.2` })
  expect(first.meta).not.toHaveProperty('available_from')
  const second = await ask(`metrics=mvrv&interval=block&limit=5&cursor=${first.meta.next_cursor}`)
  expect([...first.data, ...second.data]).toEqual(rows.toReversed().slice(0, 10).map(shown))
  const turned = await ask('metrics=mvrv&interval=block&limit=5&order=asc')
  expect(turned.data).toEqual(first.data.toReversed())
  const since = `metrics=mvrv&interval=block&start_date=${isoDate(openDay - 2)}`
  const { data } = await ask(`${since}&order=asc`)
  expect(data).toEqual(rows.filter(({ date }) => date >= isoDate(openDay - 2)).map(shown))
})

test('hours have the state after their last block, and sums of blocks from what is published', async () => {
  const { data } = await ask(`metrics=mvrv&interval=1h&limit=7`)
  const newest = lastOfHours.toReversed()
  expect(data).toEqual(newest.slice(0, 7).map(({ date, hour, mvrv }) => ({ date, time: hour, mvrv })))
  const both = await ask(`metrics=mvrv,tx_count&interval=1h&limit=10000`)
  const blocks = await ask(`metrics=tx_count&interval=1h&limit=10000`)
  const published = new Map(blocks.data.map(({ time, tx_count }) => [time, tx_count]))
  expect(both.data).toEqual(
    newest.map(({ date, hour, mvrv }) => ({ date, time: hour, mvrv, tx_count: published.get(hour) ?? null })),
  )
  expect(both.data.some(({ tx_count }) => Number(tx_count) > 0)).toBe(true)
  const formula = await ask(`formula=${encodeURIComponent('price / mvrv')}&interval=block&limit=2`)
  expect(formula.data.map((row) => row.formula)).toEqual(
    rows
      .toReversed()
      .slice(0, 2)
      .map(({ price, mvrv }) => price / mvrv),
  )
})

test('charts of blocks have their times and values, and change with them', async () => {
  const url = `${server.url}/v1/chart/snapshot?metric=mvrv&interval=block&start_date=${isoDate(lastDay)}&format=rows`
  const response = await fetch(url, { headers: keys.get('pro')! })
  const shownRows = rows.filter(({ date }) => date >= isoDate(lastDay))
  let latest = ''
  const expected = shownRows.map(({ time, mvrv }) => {
    latest = time > latest ? time : latest
    return { time: latest, mvrv }
  })
  expect((await response.json()).data).toEqual(expected)
  const early = await fetch(url.replace(isoDate(lastDay), isoDate(firstKept - 9)), { headers: keys.get('pro')! })
  expect(early.headers.get('x-chart-remarks')).toContain(`begin at ${rows[1]!.time}`)
})

test('a range before the first kept row says when rows begin', async () => {
  const range = `start_date=${isoDate(firstKept - 30)}&end_date=${isoDate(firstKept - 20)}`
  const { status, data, meta } = await ask(`metrics=mvrv&interval=block&${range}`)
  expect({ status, data }).toEqual({ status: 200, data: [] })
  expect(meta).toMatchObject({ available_from: rows[1]!.time })
})

test('a tier sees its grades, and other metrics and generations are refused', async () => {
  const demo = await ask('metrics=mvrv,realized_profit&interval=block&limit=1', 'demo')
  expect(demo.data).toEqual([shown(rows.at(-1)!)])
  expect(demo.meta).toMatchObject({ withheld: ['realized_profit'] })
  expect(await ask('metrics=mvrv_1y_2y&interval=block')).toMatchObject({
    status: 400,
    error: { details: { parameter: 'interval', allowed: ['1d', '1w', '1m', '1y'] } },
  })
  expect(await ask('metrics=mvrv&interval=block&as_of=2030-01-01')).toMatchObject({
    status: 400,
    error: { details: { parameter: 'as_of' } },
  })
})

test('rows of blocks that a reorganisation removes go, and the answer changes with them', async () => {
  const before = await ask('metrics=mvrv&interval=block&limit=3')
  const stays = rows.slice(0, -2)
  const next = { ...rows.at(-1)!, height: rows.at(-2)!.height, hash: 'other', mvrv: 7 }
  await follow([next], stays)
  const after = await ask('metrics=mvrv&interval=block&limit=3')
  expect(after.etag).not.toBe(before.etag)
  expect(after.data.map(({ height, mvrv }) => [height, mvrv])).toEqual([
    [next.height, 7],
    ...stays
      .slice(-2)
      .toReversed()
      .map(({ height, mvrv }) => [height, mvrv]),
  ])
})

test('a damaged file is not served', async () => {
  await follow([{ ...rows.at(-1)!, hash: 'newest', height: rows.at(-1)!.height }], rows.slice(0, -2))
  const published = publishedFolder(chain.dataDir)
  const file = path.join(keptFolder(published), keptFile(listKeptRows(published).days.at(-1)!))
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
  const { status, error } = await ask('metrics=mvrv&interval=block&limit=1')
  expect({ status, code: error.code }).toEqual({ status: 503, code: 'data_damaged' })
})
