import { expect, test } from 'vitest'
import { freshDataFolders } from './data-folder.ts'
import { faults, serve } from './fake-server.ts'
import { binanceVenue, bitgetVenue, hour, hyperliquidVenue, points } from './fake-venues.ts'
import { close, fetchFrom, hourly, late, settled, stamped, stored, testVenues } from './futures-sources.ts'

freshDataFolders()

testVenues((source) => (source === 'okx' ? faults : ['no fault']))

test('settlements more frequent than usual are fetched in smaller stretches', async () => {
  const everyHour = points('2026-07-01T00:00Z', hour, 1e-6)
  const server = await serve(binanceVenue(everyHour, stamped).answer)
  try {
    await fetchFrom('binance', server.url, { since: '2026-07-01' })
    close(await stored('funding'), { BTCUSDT: everyHour, BTCUSDC: everyHour })
  } finally {
    await server.close()
  }
})

test('numbered pages that move while they are read lose nothing', async () => {
  const old = points('2023-01-01T00:00Z', 8 * hour, 1e-5)
  let known = old.length - 3
  let asked = 0
  const server = await serve((question) => {
    // Every thirtieth answer comes after another settlement, which moves all rows back by one.
    if (++asked % 30 === 0 && known < old.length) known++
    return bitgetVenue(old.slice(0, known)).answer(question)
  })
  try {
    const [report] = await fetchFrom('bitget', server.url)
    expect(report).toMatchObject({ outcome: 'ok', gaps: 0 })
    expect(known).toBe(old.length)
    const { BTCUSDT = [], BTCUSD = [] } = await stored('funding')
    expect(BTCUSDT).toHaveLength(BTCUSDT.filter(({ time }, i) => time === old[i]!.time).length)
    expect(BTCUSD).toHaveLength(BTCUSD.filter(({ time }, i) => time === old[i]!.time).length)
    expect(BTCUSD.length).toBeGreaterThanOrEqual(old.length - 1)
  } finally {
    await server.close()
  }
})

test('what a source does not have is reported as a gap', async () => {
  const withHole = settled.filter(({ time }) => time < Date.parse('2026-03-01') || time >= Date.parse('2026-03-03'))
  const server = await serve(binanceVenue(withHole, stamped).answer)
  try {
    const [report] = await fetchFrom('binance-coin', server.url, { since: '2025-11-01' })
    expect(report).toMatchObject({ outcome: 'ok', gaps: 1 })
  } finally {
    await server.close()
  }
})

test('the next run continues three days before the end of what is stored', async () => {
  const server = await serve(hyperliquidVenue(hourly).answer)
  try {
    await fetchFrom('hyperliquid', server.url, { since: '2026-09-10', now: Date.parse('2026-10-01T00:10Z') })
    server.asked.length = 0
    await fetchFrom('hyperliquid', server.url)
    const starts = server.asked
      .filter(({ body }) => body.type === 'fundingHistory')
      .map(({ body }) => Number(body.startTime))
    expect(new Date(Math.min(...starts)).toISOString()).toBe('2026-09-28T00:00:00.000Z')
    close(await stored('funding'), { BTC: late(hourly, '2026-09-10') })
  } finally {
    await server.close()
  }
})

test('a value that the venue corrects is stored beside the old one', async () => {
  const before = await serve(hyperliquidVenue(hourly).answer)
  const corrected = hourly.map((point, i) => (i === hourly.length - 2 ? { ...point, value: 0.001 } : point))
  const after = await serve(hyperliquidVenue(corrected).answer)
  try {
    await fetchFrom('hyperliquid', before.url, { since: '2026-11-01' })
    const [report] = await fetchFrom('hyperliquid', after.url)
    expect(report).toMatchObject({ added: 0, corrected: 1 })
    expect((await stored('funding')).BTC?.at(-2)?.value).toBe(0.001)
  } finally {
    await before.close()
    await after.close()
  }
})

test('what came before a failure is stored, and the next run goes on from there', async () => {
  const venue = hyperliquidVenue(hourly)
  const broken = await serve((asked) =>
    Number(asked.body.startTime) >= Date.parse('2026-10-11') ? { status: 500, body: 'oops' } : venue.answer(asked),
  )
  const whole = await serve(venue.answer)
  try {
    const [report] = await fetchFrom('hyperliquid', broken.url, { since: '2026-09-10' })
    expect(report).toMatchObject({ outcome: 'failed', message: expect.stringContaining('answered 500') })
    const part = (await stored('funding')).BTC ?? []
    expect(part).toHaveLength(40 * 24)
    await fetchFrom('hyperliquid', whole.url)
    close(await stored('funding'), { BTC: late(hourly, '2026-09-10') })
  } finally {
    await broken.close()
    await whole.close()
  }
})
