import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { chainDays, lastDay } from '#test/api/support/served-chain.ts'
import { browser } from '#test/support/browser.ts'
import { address, button, chartBox, dragChart, shownDays } from './support/chart-controls.ts'
import { expectReadings } from './support/crosshair.ts'
import { open, openPages, page } from './support/opened.ts'

/** Days of the year of the last day. */
const newYear = lastDay - Date.parse('2010-01-01') / 86_400_000 + 1
describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test.each(['day'] as const)('the crosshair reads all digits that the API serves, by %s', expectReadings)

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
