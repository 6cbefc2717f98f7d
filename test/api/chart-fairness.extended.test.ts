import { expect, test } from 'vitest'
import { paths } from '#contract/paths.ts'
import { keys, serveChain, server } from './support/chain-service.ts'

serveChain()

const chartsAtOnce = 200

test('200 charts of one caller at once delay a chart of another by a few of them, and fail none', async () => {
  let answered = 0
  const draw = async (tier: 'pro' | 'enterprise', title: string): Promise<number> => {
    const response = await fetch(server.url + paths.chart, {
      method: 'POST',
      headers: { ...keys.get(tier), 'content-type': 'application/json' },
      body: JSON.stringify({ metrics: ['price', 'market_cap'], format: 'svg', title }),
    })
    await response.arrayBuffer()
    return response.status
  }
  await draw('pro', 'first')
  const flood = Array.from({ length: chartsAtOnce }, (_, i) =>
    draw('enterprise', `flood ${i}`).finally(() => {
      answered++
    }),
  )
  const before: number[] = []
  for (let i = 0; i < 5; i++) {
    const begin = answered
    expect(await draw('pro', `other ${i}`)).toBe(200)
    before.push(answered - begin)
  }
  expect(answered, 'the flood was over before the others were asked for').toBeLessThan(chartsAtOnce)
  // Those that are being composed and drawn already, and one for each turn: not the two hundred
  // that came earlier.
  expect(Math.max(...before)).toBeLessThan(chartsAtOnce / 2)
  const statuses = new Set(await Promise.all(flood))
  // On a slow machine some are told to come again; none is blamed.
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
})

test('the same chart asked for by two callers does not wait for the turn of the first', async () => {
  const ask = (tier: 'pro' | 'enterprise', metric: string, headers = keys.get(tier)!) =>
    fetch(`${server.url}${paths.chart}?metric=${metric}&format=svg&days=60`, { headers })
  const [one, other] = await Promise.all([ask('enterprise', 'price'), ask('pro', 'price')])
  expect([one.status, other.status]).toEqual([200, 200])
  expect(await one.text()).toBe(await other.text())
})
