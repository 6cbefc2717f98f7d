import { describe, expect, test } from 'vitest'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { browser } from '#test/support/browser.ts'
import { packChart } from '#web/chart/chart-body.ts'
import { complaints, findings, open, openPages, overflow, page, smallControls, unreachable } from './support/opened.ts'

declare global {
  interface Window {
    readScripts?: () => readonly string[]
    /** The scripts that had arrived before the first chart. */
    early?: readonly string[] | undefined
    /** Shifts of the layout. */
    jumps?: (PerformanceEntry & { readonly value: number })[]
  }
}

/** Values for `{name}` in page addresses. */
const examples: Readonly<Record<string, string>> = {
  id: 'mvrv',
  name: 'market-data',
  chart: await packChart({ metrics: ['price', 'realized_price'], title: 'Price and cost', range: '1y' }),
}
/** Alerts have a chart when something is watched. */
const templates = { ...pages, alerts: '/alerts?watch=mvrv', embed: paths.embed }

const addressOf = (name: keyof typeof templates): string =>
  templates[name].replaceAll(/\{(\w+)\}/g, (_, part: string) => {
    const example = examples[part]
    if (example === undefined) throw new Error(`add an example for {${part}} to examples`)
    return example
  })

const names = Object.keys(templates) as (keyof typeof templates)[]
const hasChart: ReadonlySet<string> = new Set([
  'today',
  'workbench',
  'metric',
  'cohorts',
  'mining',
  'addresses',
  'markets',
  'alerts',
  'chart',
  'embed',
])

const widths = [1440, 768, 390]
/** Only these rules of axe depend on colors. */
const rulesOfColours = ['color-contrast', 'link-in-text-block']

/** The width of each drawn chart with its axes, relative to the window. */
const pictureShares = (): Promise<number[]> =>
  page.evaluate(() => [...document.querySelectorAll('.picture > svg')].map((one) => one.clientWidth / innerWidth))

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  // One visit for all sizes and themes: a page must also adapt when they change.
  test.each(names)('the page %s fits, can be read and reached in both themes', async (name) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    complaints.length = 0
    // Of few metrics, because the whole list, which a button skips, grows while keys lead through
    // it.
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
      if (width < 500) expect(Math.min(1, ...(await pictureShares())), 'share of the width').toBeGreaterThan(0.92)
      if (width < 1000 && name !== 'embed') expect(await smallControls(), `controls at ${width}`).toEqual([])
    }
    expect(complaints).toEqual([])
  })

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

  test.each(names)('the page %s does not jump while it loads', async (name) => {
    const own = await page.context().newPage()
    await own.addInitScript(() => {
      new PerformanceObserver((list) => {
        window.jumps = [...(window.jumps ?? []), ...(list.getEntries() as NonNullable<typeof window.jumps>)]
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await own.route('**/v1/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 150))
      await route.continue().catch(() => undefined)
    })
    for (const width of [1440, 390]) {
      await own.setViewportSize({ width, height: 844 })
      await own.goto(addressOf(name))
      await own.locator('main h1').first().waitFor()
      await own.waitForLoadState('networkidle')
      const jumps = await own.evaluate(() =>
        (window.jumps ?? []).map((jump) => ({ ...jump.toJSON(), value: jump.value })),
      )
      const total = jumps.reduce((sum, { value }) => sum + value, 0)
      expect(total, `at ${width}: ${JSON.stringify(jumps)}`).toBeLessThan(0.1)
    }
    await own.close()
  })

  test.each(names)('the page %s needs at most 80 kB of script to its first chart, compressed', async (name) => {
    const own = await page.context().newPage()
    await own.addInitScript(() => {
      window.readScripts = () => {
        const names = performance.getEntriesByType('resource').map(({ name }) => name)
        return [...new Set(names)].filter((name) => name.endsWith('.js'))
      }
      new MutationObserver(() => {
        if (document.querySelector('.picture > svg')) window.early ??= window.readScripts?.()
      }).observe(document, { childList: true, subtree: true })
    })
    await own.goto(addressOf(name))
    if (hasChart.has(name)) await own.locator('.picture > svg').first().waitFor()
    else await own.waitForLoadState('networkidle')
    const scripts = await own.evaluate(() => window.early ?? window.readScripts?.() ?? [])
    await own.close()
    expect(scripts.length).toBeGreaterThan(2)
    const sizes = await Promise.all(
      scripts.map(async (url) => {
        const { headers } = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
        expect(headers.get('content-encoding')).toBe('gzip')
        return Number(headers.get('content-length'))
      }),
    )
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(total, scripts.map((url, i) => `${url.replace(/.*\//, '')} ${sizes[i]}`).join(', ')).toBeLessThan(80_000)
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
    expect(await looks('#reference h2')).toEqual(own)
    expect(await findings(rulesOfColours)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await looks('#reference h2')).not.toEqual(own)
    await page.locator('.opblock-summary-control').nth(1).click()
    await page.locator('.opblock-body').waitFor()
    expect(await overflow()).toBeLessThanOrEqual(0)
    expect(await findings(rulesOfColours)).toEqual([])
    expect(await smallControls()).toEqual([])
    await page.getByRole('link', { name: 'Coinstrata' }).click()
    await page.waitForURL('/')
  })

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
