import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { chainDays, lastDay } from '#test/api/support/served-chain.ts'
import { browser } from '#test/support/browser.ts'
import { packChart } from '#web/chart/chart-body.ts'
import { writeReading } from '#web/chart/readings.ts'
import {
  address,
  button,
  chartBox,
  dragChart,
  handle,
  highest,
  readings,
  rowsOf,
  shownDays,
  ticks,
} from './support/chart-controls.ts'
import { open, openPages, page } from './support/opened.ts'

/** Days of the year of the last day. */
const newYear = lastDay - Date.parse('2010-01-01') / 86_400_000 + 1
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
    expect(address()).toBe('/metrics/blocks_mined?range=cycle')
    await page.keyboard.press('4')
    await page.waitForURL('/metrics/blocks_mined?range=ytd')
    await page.reload()
    await expect.poll(() => from.inputValue()).toBe('2010-01-01')
    // Soon after the page is drawn it listens to keys.
    const pressAll = () => page.keyboard.press('9').then(address)
    await expect.poll(pressAll, { interval: 1_000 }).toBe('/metrics/blocks_mined')
  })

  test('an axis is dragged: at an end it stretches, in the middle it moves, and the other axes stay', async () => {
    await open('/metrics/mvrv')
    const price = await ticks('price_overlay')
    const before = await highest('auto:ratio')
    const box = (await handle('MVRV').boundingBox())!
    const drag = async (from: number, to: number) => {
      await page.mouse.move(box.x + 10, box.y + from * box.height)
      await page.mouse.down()
      await page.mouse.move(box.x + 10, box.y + to * box.height, { steps: 5 })
    }
    await drag(0.1, 0.55)
    // It is drawn before the mouse is released, and days are not selected meanwhile.
    await expect.poll(() => highest('auto:ratio')).toBeGreaterThan(1.6 * before)
    expect(await page.locator('.selection').count()).toBe(0)
    await page.mouse.up()
    await page.waitForURL(/y=%2C[\d.]+%2Cauto%3Aratio$/)
    expect(await page.getByRole('dialog').count()).toBe(0)
    const stretched = await highest('auto:ratio')
    await drag(0.5, 0.9)
    await page.mouse.up()
    await page.waitForURL(/y=[\d.-]+%2C[\d.]+%2Cauto%3Aratio$/)
    await expect.poll(() => highest('auto:ratio')).toBeGreaterThan(stretched)
    const moved = await ticks('auto:ratio')
    expect(await ticks('price_overlay')).toEqual(price)
    await page.reload()
    await expect.poll(() => ticks('auto:ratio')).toEqual(moved)
    await button('Reset axes').click()
    await page.waitForURL('/metrics/mvrv')
    await expect.poll(() => highest('auto:ratio')).toBe(before)
    expect(await button('Reset axes').count()).toBe(0)
  })

  test('a drag across the plot shows its days, in either direction; a click does not', async () => {
    await open('/metrics/mvrv?range=1y')
    const [first = 0] = await shownDays()
    const date = async (x: number) => {
      const { x: left, y } = await chartBox()
      await page.mouse.move(left + x, y + 100)
      return Date.parse(`${await page.locator('.reading p').textContent()} UTC`) / 86_400_000
    }
    const ends = [await date(400), await date(700)]
    await dragChart(400, 402)
    await page.waitForTimeout(200)
    expect(address()).toBe('/metrics/mvrv?range=1y')
    await dragChart(700, 400)
    await page.waitForURL(/from=/)
    await expect.poll(shownDays).toEqual(ends)
    expect(ends[0]).toBeGreaterThan(first + 50)
    // The closest zoom is a week.
    await dragChart(500, 505)
    await expect.poll(async () => (await shownDays()).reduce((from, to) => to - from)).toBeLessThan(9)
    // A range of one day can be moved no further, nor does it break.
    await open('/metrics/mvrv?from=2009-10-01&to=2009-10-01')
    await dragChart(400, 700)
    await page.keyboard.press('-')
    await page.waitForURL(/from=2009-09-2\d&to=2009-10-0\d/)
  })
})
