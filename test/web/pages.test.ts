import { describe, expect, test } from 'vitest'
import { type PageName, pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { browser } from '#test/support/browser.ts'
import { packChart } from '#web/chart/chart-body.ts'
import { complaints, findings, open, openPages, overflow, page, smallControls, unreachable } from './support/opened.ts'

/** Values for `{name}` in page addresses. */
const examples: Readonly<Record<string, string>> = {
  id: 'mvrv',
  name: 'market-data',
  chart: await packChart({ metrics: ['price', 'realized_price'], title: 'Price and cost', range: '1y' }),
}
const templates = { ...pages, embed: paths.embed }

const addressOf = (name: PageName | 'embed'): string =>
  templates[name].replaceAll(/\{(\w+)\}/g, (_, part: string) => {
    const example = examples[part]
    if (example === undefined) throw new Error(`add an example for {${part}} to examples`)
    return example
  })

const widths = [1440, 768, 390]
/** Only these rules of axe depend on colors. */
const rulesOfColours = ['color-contrast', 'link-in-text-block']

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  // One visit for all sizes and themes: a page must also adapt when they change.
  test.each(Object.keys(templates) as (PageName | 'embed')[])(
    'the page %s fits, can be read and reached in both themes',
    async (name) => {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      complaints.length = 0
      // Of few metrics, because the whole list, which a button skips, grows while keys lead through it.
      await open(addressOf(name) + (name === 'metrics' ? '?unit=H%2Fs' : ''))
      expect(await unreachable(), 'by keyboard').toEqual([])
      if (name === 'metrics') await open(addressOf(name))
      for (const width of widths) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme: 'light' })
        // Each width and theme draws the charts again.
        await expect.poll(overflow, { timeout: 10_000, message: `pixels too wide at ${width}` }).toBeLessThanOrEqual(0)
        await page.waitForLoadState('networkidle')
        expect(await findings(), `light, ${width}`).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.evaluate(() => new Promise(requestAnimationFrame))
        expect(await findings(rulesOfColours), `dark, ${width}`).toEqual([])
        if (width < 1000 && name !== 'embed') expect(await smallControls(), `controls at ${width}`).toEqual([])
      }
      expect(complaints).toEqual([])
    },
  )

  test('every page of the navigation is reached at every width', async () => {
    for (const width of [1440, 1240, 820, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await open('/status')
      const menu = page.getByRole('button', { name: 'Menu' })
      if (await menu.isVisible()) await menu.click()
      const links = await page.locator('.top nav a').all()
      const ends = await Promise.all(links.map(async (link) => (await link.boundingBox())!))
      expect(ends.length).toBeGreaterThan(7)
      for (const { x, width: own } of ends) expect(x >= 0 && x + own <= width, `${x} at ${width}`).toBe(true)
      const inside = page.locator('.top nav')
      expect(await inside.evaluate((nav) => nav.scrollWidth - nav.clientWidth)).toBeLessThanOrEqual(0)
    }
    await page.locator('.top nav').getByRole('link', { name: 'Board' }).click()
    await page.waitForURL('/board')
    await page.locator('.top nav').waitFor({ state: 'hidden' })
  })

  test.each([pages.cohorts, '/docs/operate', '/metrics/mvrv'])('%s does not jump while it loads', async (path) => {
    await page.addInitScript(() => {
      const seen = Object.assign(window, { jumps: 0 })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.jumps += 'value' in entry ? Number(entry.value) : 0
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.route('**/v1/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 150))
      await route.continue().catch(() => undefined)
    })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await open(path)
      const jumps = await page.evaluate(() => ('jumps' in window ? Number(window.jumps) : Number.NaN))
      expect(jumps, `at ${width}`).toBeLessThan(0.1)
    }
  })

  test.each(['/', '/workbench', '/metrics/mvrv', '/mining', '/markets'])(
    'the first chart of %s needs at most 70 kB of script, compressed',
    async (path) => {
      const own = await page.context().newPage()
      await own.addInitScript(() => {
        const seen = Object.assign(window, { drawnAt: 0 })
        new MutationObserver(() => {
          if (seen.drawnAt === 0 && document.querySelector('.picture > svg')) seen.drawnAt = performance.now()
        }).observe(document, { childList: true, subtree: true })
      })
      await own.goto(path)
      await own.locator('.picture > svg').first().waitFor()
      const scripts = await own.evaluate(() => {
        const drawnAt = 'drawnAt' in window ? Number(window.drawnAt) : 0
        const early = performance
          .getEntriesByType('resource')
          .filter((entry) => 'responseEnd' in entry && Number(entry.responseEnd) < drawnAt)
        return [...new Set(early.map(({ name }) => name))].filter((name) => name.endsWith('.js'))
      })
      await own.close()
      expect(scripts.length).toBeGreaterThan(2)
      const sizes = await Promise.all(
        scripts.map(async (url) => {
          const { headers } = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
          expect(headers.get('content-encoding')).toBe('gzip')
          return Number(headers.get('content-length'))
        }),
      )
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(70_000)
    },
  )

  test('a table is sorted by its heads, with keys, and says so in the address', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await open(pages.markets)
    const holdings = () =>
      page
        .locator('tbody tr td:nth-child(4)')
        .allTextContents()
        .then((texts) => texts.map((text) => Number(text.replaceAll(',', ''))))
    const falling = await holdings()
    expect(falling.length).toBe(3)
    expect(falling).toEqual(falling.toSorted((a, b) => b - a))
    await page.getByRole('button', { name: 'Holdings, BTC', exact: true }).press('Enter')
    await expect.poll(holdings).toEqual(falling.toReversed())
    expect(new URL(page.url()).searchParams.get('sort')).toBe('holdings')
    expect(await page.locator('[aria-sort=ascending]').count()).toBe(1)
  })

  test('cards of today say how their metric has changed in a week', async () => {
    await open(pages.today)
    const changes = page.locator('.notes span', { hasText: 'in 7 d' })
    await changes.first().waitFor()
    for (const change of await changes.allTextContents()) expect(change).toMatch(/^[+−]?[\d.,]+.* in 7 d$/)
  })

  test('what is wrong with a page is found', async () => {
    complaints.length = 0
    await page.evaluate(() => {
      const wrong = document.createElement('img')
      wrong.setAttribute('style', 'width: 3000px')
      wrong.width = 3000
      document.querySelector('main')?.append(wrong)
      const button = document.createElement('button')
      button.tabIndex = -1
      button.textContent = 'out of reach'
      document.body.append(button)
    })
    expect(await findings()).toEqual([expect.stringMatching(/^image-alt: /)])
    expect(await unreachable()).toEqual([expect.stringContaining('out of reach')])
    expect(await overflow()).toBeGreaterThan(0)
    expect(complaints).toEqual([expect.stringContaining('Content Security Policy')])
  })
})
