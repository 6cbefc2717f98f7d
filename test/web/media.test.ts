import { describe, expect, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { button } from './support/chart-controls.ts'
import { open, openPages, page } from './support/opened.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test('with forced colours a pressed button differs from others', async () => {
    await open('/metrics/mvrv')
    await page.emulateMedia({ forcedColors: 'active' })
    const look = (name: string) =>
      button(name).evaluate((one) => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color])
    const [pressed, other] = [await look('All'), await look('1y')]
    expect(pressed[0]).not.toBe(other[0])
    expect(pressed[1]).not.toBe(other[1])
    await page.emulateMedia({ forcedColors: null })
  })

  test('in print a page has its chart, without navigation and tools', async () => {
    await open('/charts?t=mvrv_ratio')
    await page.locator('.picture > svg').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.picture > svg').isVisible()).toBe(true)
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    for (const tools of ['.top', 'footer.bottom', '.chart-tools >> nth=0', '.chart-list ul >> nth=0']) {
      expect(await page.locator(tools).isVisible(), tools).toBe(false)
    }
    await page.emulateMedia({ media: null })
  })
})
