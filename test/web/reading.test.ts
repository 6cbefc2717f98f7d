import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { chainDays, lastDay } from '#test/api/support/served-chain.ts'
import { serve, withoutLimits } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { packChart } from '#web/chart/chart-body.ts'
import { writeReading } from '#web/chart/readings.ts'
import { chain, findings, open, openPages, page, server } from './support/opened.ts'

const readings = () => page.locator('.reading dd').allTextContents()
const button = (name: string) => page.getByRole('button', { name, exact: true })
const addressOf = () => page.url().slice(server.url.length)
/** Days of the year of the last day. */
const newYear = lastDay - Date.parse('2010-01-01') / 86_400_000 + 1
const labels = () => page.locator('.reading dt').allTextContents()
const rowsOf = async (path: string): Promise<Record<string, number>[]> =>
  (await (await fetch(`${server.url}/v1/${path}`)).json()).data

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test.each(['day', 'week', 'month'] as const)(
    'the crosshair reads all digits that the API serves, by %s',
    async (interval) => {
      const formula = 'circulating_supply * 100000000'
      const ids = ['market_cap', 'mvrv', 'blocks_mined', 'drawdown']
      await open(
        `/chart/${await packChart({ title: 'A chart', metrics: ids.map((id) => (id === 'mvrv' ? { id, y_axis_id: 'right' } : id)), formulas: [{ expression: formula, unit: 'sats', y_axis_id: 'right' }], interval, range: 'all' })}`,
      )
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowRight')
      const query = `metrics=${ids}&formula=${encodeURIComponent(formula)}&interval=${interval}&limit=1`
      const [row] = await rowsOf(`series?${query}`)
      const { market_cap = 0, mvrv = 0, blocks_mined = 0, drawdown = 0, formula: sats = 0 } = row ?? {}
      await expect
        .poll(readings)
        .toEqual([
          writeReading('USD', market_cap),
          writeReading('ratio', mvrv),
          writeReading('count', blocks_mined),
          writeReading('percent', 100 * drawdown),
          writeReading('sats', sats),
        ])
      expect(sats).toBeGreaterThan(1e12)
    },
  )

  test('a reading is rounded while its digits cannot be loaded', async () => {
    await open('/metrics/circulating_supply')
    await page.route(/v1\/series\?metrics=circulating_supply(%2Cprice)?&format/, (route) => route.abort())
    await page.keyboard.press('ArrowLeft')
    await page.locator('.reading').waitFor()
    await page.waitForTimeout(600)
    expect((await readings())[0]).toMatch(/^[\d.]+[kM]$/)
    await page.unroute(/v1\/series\?metrics=circulating_supply(%2Cprice)?&format/)
  })

  test('a heatmap is read by pointer and keys: prices and supply of the cell, and the price', async () => {
    await open('/metrics/cost_basis_distribution')
    const box = (await page.locator('.chart .box').boundingBox())!
    await page.mouse.move(box.x + 700, box.y + 200)
    await page.locator('.reading').waitFor()
    const cellAt = async () => {
      const [cell = ''] = await labels()
      const [amount = ''] = await readings()
      const [lower = Number.NaN, upper = Number.NaN] = cell.split(' – ').map((text) => Number(text.replace('$', '')))
      return { lower, upper, amount }
    }
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowRight')
    const date = isoDate(Date.parse(`${await page.locator('.reading p').textContent()} UTC`) / 86_400_000)
    const { lower, upper, amount } = await cellAt()
    const cells = await rowsOf(`cost-basis?date=${date}&limit=10000`)
    const cell = cells.find(({ lower_price = 0 }) => Math.abs(lower_price - lower) < 0.0051)
    expect(amount).toBe(writeReading('BTC', cell?.supply ?? 0))
    expect(upper).toBeCloseTo(cell?.upper_price ?? upper, 1)
    await page.keyboard.press('ArrowDown')
    await expect.poll(async () => (await cellAt()).upper).toBeLessThanOrEqual(lower + 0.0051)
    expect((await labels()).at(-1)).toBe('Price')
    const [{ price = 0 } = {}] = await rowsOf(`series?metrics=price&start_date=${date}&end_date=${date}`)
    expect((await readings()).at(-1)).toBe(writeReading('USD', price))
  })

  test('a histogram is read: prices of the bar and its supply', async () => {
    await open(
      `/chart/${await packChart({ title: 'A day', histogram: { metric: 'cost_basis_distribution', bins: 20, scale: 'linear', min: 1, max: 3 } })}`,
    )
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.locator('.reading p').textContent()).toBe('$2.90 – $3.00')
    const cells = await rowsOf(`cost-basis?date=${isoDate(lastDay)}&limit=10000`)
    const supply = cells.reduce((sum, { lower_price: low = 0, upper_price: high = 0, supply: amount = 0 }) => {
      return sum + (amount * Math.max(0, Math.min(high, 3) - Math.max(low, 2.9))) / (high - low || 1)
    }, 0)
    const read = (await readings()).map((text) => Number(text.replace(/[^\d.]/g, '')))
    expect(read.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(supply, 0)
    expect((await readings()).join(' ')).toMatch(/\d\.\d\d\sBTC/)
  })

  test('ranges reach back from the newest day, by button and key', async () => {
    const from = page.getByLabel('From', { exact: true })
    await open('/metrics/blocks_mined')
    const days = {
      '1m': 30,
      '3m': 91,
      '6m': 182,
      YTD: newYear,
      '1y': 365,
      '2y': chainDays,
      '4y': chainDays,
      Cycle: chainDays,
    }
    for (const [name, count] of Object.entries(days)) {
      await button(name).click()
      await expect.poll(() => from.inputValue(), { message: name }).toBe(isoDate(lastDay - count + 1))
      expect(await page.locator('.ranges [aria-pressed=true]').allTextContents()).toEqual([name])
    }
    expect(addressOf()).toBe('/metrics/blocks_mined?range=cycle')
    await page.keyboard.press('4')
    await page.waitForURL('/metrics/blocks_mined?range=ytd')
    await page.reload()
    await expect.poll(() => from.inputValue()).toBe('2010-01-01')
    await page.keyboard.press('9')
    await page.waitForURL('/metrics/blocks_mined')
  })

  test('two fields choose the days: in any order, one day, outside the history, by keyboard', async () => {
    await open('/metrics/mvrv?price=off')
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
    const [first, last] = [await from.inputValue(), await to.inputValue()]
    expect(last).toBe(isoDate(lastDay))
    const days = () => Promise.all([from.inputValue(), to.inputValue()])
    await to.fill('2009-05-31')
    await page.waitForURL(`**from=${first}&to=2009-05-31`)
    // The other end moves along, and the chart stays as long.
    await from.fill('2009-06-15')
    await page.waitForURL(/from=2009-06-15/)
    const [, end = ''] = await days()
    expect(Date.parse(end) - Date.parse('2009-06-15')).toBe(Date.parse('2009-05-31') - Date.parse(first))
    await to.fill('2009-06-15')
    await page.waitForURL('**from=2009-06-15&to=2009-06-15')
    await page.locator('.picture .dot').waitFor()
    await page.reload()
    await page.locator('.picture .dot').waitFor()
    // Typed, month by day by year: what is valid on the way changes nothing.
    await from.focus()
    await page.keyboard.type('07/01/2009')
    await to.focus()
    await page.waitForURL(/from=2009-07-01/)
    await page.keyboard.type('01/01/2031')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**from=2009-07-01&to=${last}`)
    await from.fill('')
    await to.focus()
    expect(await days()).toEqual(['2009-07-01', last])
    await button('All').click()
    await expect.poll(days).toEqual([first, last])
    expect(await findings()).toEqual([])
  })

  test('a visitor cannot choose ranges beyond the days of the tier, and is told', async () => {
    const tiered = await serve(chain.dataDir, withoutLimits)
    // The chain of the test is in its first days; this is the height of August 2025.
    await page.route('**/health', async (route) => {
      await route.fulfill({ json: { ...(await (await route.fetch()).json()), tip_height: 909_000 } })
    })
    try {
      await page.goto(`${tiered.url}/workbench?range=4y`)
      await page.getByText(`60 of ${chainDays} days.`).waitFor()
      const disabled = page.locator('.ranges button:disabled')
      expect(await disabled.allTextContents()).toEqual(['3m', '6m', 'YTD', '1y', '2y', '4y', 'Cycle'])
      expect(await page.locator('.ranges [aria-pressed=true]').allTextContents()).toEqual(['All'])
      await page.keyboard.press('7')
      await page.keyboard.press('1')
      await page.waitForURL('**range=1m')
      await expect.poll(() => page.getByLabel('From', { exact: true }).inputValue()).toBe(isoDate(lastDay - 29))
      await page.getByLabel('From', { exact: true }).fill('2009-06-01')
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`from=${isoDate(lastDay - 59)}`))
    } finally {
      await page.unroute('**/health')
      await tiered.close()
    }
  })

  test('two days are compared in all digits, fractions on an axis in percent as percent', async () => {
    await open('/workbench?metrics=market_cap,drawdown,realized_cap*2')
    await page.getByRole('button', { name: 'Compare two days' }).click()
    await page.getByLabel('Day B').fill('2010-01-31')
    await page.getByLabel('Day A').fill('2009-08-01')
    const rows = await rowsOf(
      'series?metrics=market_cap,drawdown,realized_cap&start_date=2009-08-01&end_date=2010-01-31',
    )
    const [b, a] = [rows[0], rows.at(-1)]
    const wanted = [
      [a, b].map((row) => writeReading('USD', row?.market_cap ?? 0)),
      [a, b].map((row) => writeReading('percent', 100 * (row?.drawdown ?? 0))),
      [a, b].map((row) => writeReading('USD', 2 * (row?.realized_cap ?? 0))),
    ]
    const shown = async () => {
      const cells = await page.locator('.compare tbody td').allTextContents()
      return [0, 4, 8].map((start) => cells.slice(start, start + 2))
    }
    await expect.poll(shown).toEqual(wanted)
  })
})
