import { beforeAll, describe, expect, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { addressOf, openWithoutJumps, pageNames, recordLoading, rulesOfColours } from './support/every-page.ts'
import {
  complaints,
  findings,
  open,
  openPages,
  overflow,
  page,
  smallControls,
  unreachable,
  visit,
} from './support/opened.ts'
import { expectSound, ofEachKind } from './support/sound-page.ts'

/** The width of each drawn chart with its axes, relative to the window. */
const pictureShares = (): Promise<number[]> =>
  page.evaluate(() => [...document.querySelectorAll('.picture > svg')].map((one) => one.clientWidth / innerWidth))

describe.skipIf(!browser)('in a real browser', () => {
  openPages()
  beforeAll(() => recordLoading())

  test.each(pageNames.filter((name) => !ofEachKind.includes(name)))(
    'the page %s does not jump while it loads, needs at most 80 kB of script to its first chart, compressed, fits and can be read',
    expectSound,
  )

  // One visit for all sizes and themes: a page must also adapt when they change.
  test.each(pageNames)(
    'the page %s does not jump on a phone, fits every width, can be read in both themes and reached by keys',
    async (name) => {
      complaints.length = 0
      await page.setViewportSize({ width: 390, height: 844 })
      await openWithoutJumps(name)
      await expect.poll(overflow, { timeout: 10_000, message: 'pixels too wide' }).toBeLessThanOrEqual(0)
      await page.setViewportSize({ width: 1440, height: 900 })
      // Of few metrics, because the whole list, which a button skips, grows while keys lead through
      // it; and of few charts, because each theme draws them again, and all are of one kind.
      if (name === 'metrics') await visit(`${addressOf(name)}?unit=H%2Fs`)
      if (name === 'charts') await visit(`${addressOf(name)}?q=mvrv`)
      expect(await unreachable(), 'by keyboard').toEqual([])
      if (name === 'metrics') await visit(addressOf(name))
      // At 1440 pixels in light, `expectSound` looks at them.
      for (const [width, colorScheme] of [
        [1440, 'dark'],
        [768, 'dark'],
        [390, 'dark'],
        [390, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme })
        // Each width and theme draws the charts again.
        await expect.poll(overflow, { timeout: 10_000, message: `pixels too wide at ${width}` }).toBeLessThanOrEqual(0)
        await page.waitForLoadState('networkidle')
        await page.evaluate(() => new Promise(requestAnimationFrame))
        const rules = colorScheme === 'dark' ? rulesOfColours : undefined
        if (width !== 768) expect(await findings(rules), `${colorScheme}, ${width}`).toEqual([])
        if (width < 500) expect(Math.min(1, ...(await pictureShares())), 'share of the width').toBeGreaterThan(0.92)
        if (width < 1000 && name !== 'embed') expect(await smallControls(), `controls at ${width}`).toEqual([])
      }
      expect(complaints).toEqual([])
    },
  )

  test('every page of the navigation is reached at every width', async () => {
    await open('/status')
    const menu = page.getByRole('button', { name: 'Menu', expanded: false })
    for (const width of [1440, 1366, 1321, 1240, 820, 390]) {
      await page.setViewportSize({ width, height: 844 })
      if (await menu.isVisible()) await menu.click()
      const ends: { x: number; width: number }[] = []
      const look = async (selector: string) => {
        for (const link of await page.locator(selector).all()) ends.push((await link.boundingBox())!)
      }
      await look('.top nav > a, .top nav summary')
      for (const group of await page.locator('.top nav summary').all()) {
        await group.click()
        await look('.top nav details[open] a')
      }
      expect(ends.length).toBeGreaterThan(12)
      for (const { x, width: own } of ends) expect(x >= 0 && x + own <= width, `${x} at ${width}`).toBe(true)
      const inside = page.locator('.top nav')
      expect(await inside.evaluate((nav) => nav.scrollWidth - nav.clientWidth)).toBeLessThanOrEqual(0)
    }
    await page.locator('.top nav').getByRole('link', { name: 'Board' }).click()
    await page.waitForURL('/board')
    await page.locator('.top nav').waitFor({ state: 'hidden' })
  })

  test('the reference of the API looks like the pages, fits, and leads back to them', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    const looks = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one) => {
          const { color, fontFamily } = getComputedStyle(one)
          return { color, fontFamily, background: getComputedStyle(document.documentElement).backgroundColor }
        })
    await open('/status')
    const own = await looks('main h1')
    await page.getByRole('contentinfo').getByRole('link', { name: 'API' }).click()
    await page.locator('.opblock').first().waitFor()
    // Three of each method are enough for axe, which takes seconds for all.
    await page.evaluate(() => {
      const counts = new Map<string, number>()
      for (const one of document.querySelectorAll<HTMLElement>('.opblock')) {
        const count = (counts.get(one.className) ?? 0) + 1
        counts.set(one.className, count)
        one.hidden = count > 3
      }
    })
    expect(await looks('#reference h2')).toEqual(own)
    expect(await findings(rulesOfColours)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await looks('#reference h2')).not.toEqual(own)
    await page.locator('.opblock-summary-control').nth(1).click()
    await page.locator('.opblock-body').waitFor()
    expect(await findings(['select-name'])).toEqual([])
    expect(await overflow()).toBeLessThanOrEqual(0)
    expect(await findings(rulesOfColours)).toEqual([])
    expect(await smallControls()).toEqual([])
    await page.getByRole('link', { name: 'Coinstrata' }).click()
    await page.waitForURL('/')
  })
})
