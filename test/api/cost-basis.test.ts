import { describe, expect, it, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { lastDay } from './support/served-chain.ts'

serveChain()

interface Bin {
  readonly date: string
  readonly bin: number
  readonly lower_price: number
  readonly upper_price: number
  readonly supply_sats: number
  readonly spent_sats: number
}

async function ask(query: string): Promise<{ data: Bin[]; status: number; next: string | undefined }> {
  const response = await fetch(`${server.url}/v1/cost-basis?${query}`, { headers: keys.get('enterprise')! })
  const { data, meta } = await response.json()
  return { data, status: response.status, next: meta?.next_cursor }
}

const [first, last] = [isoDate(lastDay - 20), isoDate(lastDay)]
const range = `start_date=${first}&end_date=${last}`

async function publishedBins(): Promise<Bin[]> {
  const rows = await rowsOf(
    `SELECT date, bin, lower_price, upper_price, supply_sats, spent_sats FROM ${publishedTable(chain.dataDir, 'cost_basis')}
     WHERE date BETWEEN '${first}' AND '${last}'`,
  )
  return rows.map(([date, ...numbers]) => {
    const [bin = 0, lower_price = 0, upper_price = 0, supply_sats = 0, spent_sats = 0] = numbers.map(Number)
    return { date: date!, bin, lower_price, upper_price, supply_sats, spent_sats }
  })
}

const sumOf = (bins: readonly Bin[], name: 'supply_sats' | 'spent_sats'): number =>
  bins.reduce((sum, bin) => sum + bin[name], 0)

describe.each(['linear', 'log'] as const)('joined bins, %s', (scale) => {
  it.each([1, 3, 20, 2000])('are exact sums of whole bins, %i at most', async (bins) => {
    const cells = await publishedBins()
    const { data } = await ask(`${range}&bins=${bins}&scale=${scale}&order=asc`)
    const priced = cells.filter(({ bin }) => bin > 0)
    const edgesOf = ({ bin, lower_price, upper_price }: Bin) =>
      scale === 'log' ? ([bin, bin + 1] as const) : ([lower_price, upper_price] as const)
    const low = Math.min(...priced.map((cell) => edgesOf(cell)[0]))
    const high = Math.max(...priced.map((cell) => edgesOf(cell)[1]))
    const groupOf = (cell: Bin): number => {
      const [lower, upper] = edgesOf(cell)
      return cell.bin === 0 ? -1 : Math.floor((bins * ((lower + upper) / 2 - low)) / (high - low))
    }
    const sums = Map.groupBy(cells, (cell) => `${cell.date} ${groupOf(cell)}`)
    expect(data.length).toBe(sums.size)
    for (const row of data) {
      const inside = cells.filter(
        (cell) =>
          cell.date === row.date &&
          (cell.bin === 0) === (row.bin === 0) &&
          cell.lower_price >= row.lower_price &&
          cell.upper_price <= row.upper_price,
      )
      expect(new Set(inside.map(groupOf)).size).toBe(1)
      for (const name of ['supply_sats', 'spent_sats'] as const) expect(row[name]).toBe(sumOf(inside, name))
    }
    for (const name of ['supply_sats', 'spent_sats'] as const) expect(sumOf(data, name)).toBe(sumOf(cells, name))
    expect(sumOf(data, 'spent_sats')).toBeGreaterThan(0)
  })
})

test('pages of joined bins have the bins of all pages', async () => {
  const one = await ask(`date=${last}&bins=5&limit=2`)
  const rest = await ask(`date=${last}&bins=5&limit=10&cursor=${one.next}`)
  expect([...one.data, ...rest.data]).toEqual((await ask(`date=${last}&bins=5`)).data)
  expect(rest.data.length).toBeGreaterThan(0)
})

test.each(['bins=0', 'bins=2001', 'bins=1.5', 'bins=10&scale=cubic'])('%s is refused', async (query) => {
  expect((await ask(query)).status).toBe(400)
})
