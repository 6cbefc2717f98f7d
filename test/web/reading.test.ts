import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { lastDay } from '#test/api/support/served-chain.ts'
import { browser } from '#test/support/browser.ts'
import { packChart } from '#web/chart/chart-body.ts'
import { writeReading } from '#web/chart/readings.ts'
import { open, openPages, page, server } from './support/opened.ts'

const readings = () => page.locator('.reading dd').allTextContents()
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
