import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { templates } from '#render/request/templates.ts'
import { chainDays, lastDay } from '#test/api/support/served-chain.ts'
import { serve, withoutLimits } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { address, button } from './support/chart-controls.ts'
import { chain, complaints, open, openPages, page } from './support/opened.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test('links and keys lead from page to page and back without reloading', async () => {
    await open('/')
    await page.evaluate(() => Object.assign(window, { isSame: true }))
    await page.getByRole('navigation').getByRole('link', { name: 'Metrics' }).click()
    await page.getByRole('heading', { name: 'Metrics', level: 1 }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Where we are in the cycle' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('heading', { name: 'Workbench', level: 1 }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Move the crosshair by a day').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
  })

  test.each([
    [1366, 768],
    [390, 844],
  ])(
    'the first page says what it is, and shows its chart and three ways on without scrolling, at %i × %i',
    async (width, height) => {
      await page.setViewportSize({ width, height })
      await open('/')
      await page.locator('.chart .picture > svg').first().waitFor()
      const { y } = (await page.locator('.chart .box').first().boundingBox())!
      expect(height - y).toBeGreaterThan(250)
      const purpose = page.locator('.purpose')
      expect(await purpose.textContent()).toMatch(/^Bitcoin on-chain analytics: .*AI assistant/)
      expect(await purpose.getByRole('link').count()).toBe(3)
      expect((await purpose.boundingBox())!.y).toBeLessThan(y)
    },
  )

  test('all charts are found by their words, kept as favourites, and opened large and in the workbench', async () => {
    await open('/charts')
    await page.locator('.thumbnail svg').nth(3).waitFor()
    expect(await page.locator('.chart-list li').count()).toBe(Object.keys(templates).length)
    await page.getByRole('searchbox', { name: 'Search charts' }).fill('realized-cap hodl')
    await expect
      .poll(() => page.locator('.chart-list li b').allTextContents())
      .toEqual(['Realized-cap HODL waves: realized cap by age'])
    await page.getByRole('searchbox', { name: 'Search charts' }).fill('seasonality')
    await expect.poll(() => page.locator('.chart-list li b').allTextContents()).toEqual(['Return by month and year'])
    await page.getByRole('searchbox', { name: 'Search charts' }).fill('realized-cap hodl')
    await page.getByRole('button', { name: 'Keep: Realized-cap HODL waves: realized cap by age' }).click()
    await open('/charts')
    await page.getByRole('heading', { name: 'Favourites' }).waitFor()
    await page.getByRole('link', { name: 'MVRV ratio', exact: true }).click()
    await page.locator('.chart .picture > svg').waitFor()
    expect(address()).toBe('/charts?t=mvrv_ratio')
    await page.getByRole('link', { name: 'Open its lines in the workbench' }).click()
    await page.waitForURL(/workbench/)
    await expect.poll(() => page.getByLabel('Series 1', { exact: true }).inputValue()).toBe('mvrv')
  })

  test('the chart of a cost basis leads to that of other days', async () => {
    await open('/charts?t=urpd')
    await expect.poll(() => page.getByRole('button', { name: 'Log', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'The cost basis on another day' }).click()
    await page.getByRole('heading', { name: 'Cohorts', level: 1 }).waitFor()
  })

  test('a thumbnail that could be drawn at last says no longer why it could not', async () => {
    await page.route('**/v1/series**', (route) => route.abort())
    await open('/charts')
    const first = page.locator('.thumbnail').first()
    const problem = first.locator('span')
    await problem.waitFor()
    await page.unrouteAll()
    await page.emulateMedia({ colorScheme: 'dark' })
    await first.locator('svg').first().waitFor()
    await problem.waitFor({ state: 'detached' })
    await page.emulateMedia({ colorScheme: null })
    complaints.length = 0
  })

  test('a search shows results as one types, says what is not tracked, and Enter opens the first', async () => {
    await open('/')
    await page.keyboard.press('/')
    await page.keyboard.type('exchange balance')
    await page.getByText(/^Not tracked: balances and flows of exchanges/).waitFor()
    await page.getByRole('searchbox').fill('market value to realized value')
    await page.locator('.results a').first().waitFor()
    expect(await page.locator('.results a').first().textContent()).toContain('mvrv')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'MVRV', level: 1, exact: true }).waitFor()
    expect(address()).toBe('/metrics/mvrv')
  })

  test.each([
    ['api key', /^\/docs\/[a-z-]+(#.+)?$/],
    ['correlation', /^\/docs\/pages#/],
    ['connect claude', /^\/docs\/pages#/],
    ['hodl waves', /^\/charts\?t=(realized_cap_)?hodl_waves$/],
    ['signals', /^\/signals$/],
  ])('a search for %s finds pages, charts and guides beside metrics', async (words, href) => {
    await open(`/metrics?q=${encodeURIComponent(words)}`)
    await page.locator('.found a').first().waitFor()
    expect(await page.getByText(/^Not tracked/).count()).toBe(0)
    expect(await page.locator('.found a').first().getAttribute('href')).toMatch(href)
  })

  test('guides that a search finds leave its metrics above the fold', async () => {
    await page.setViewportSize({ width: 1366, height: 768 })
    await open('/metrics?q=mvrv')
    await page.locator('.found a').first().waitFor()
    expect(await page.locator('.found a').count()).toBe(6)
    expect((await page.locator('.results a').first().boundingBox())!.y).toBeLessThan(500)
  })

  test('a chart is moved by hand and keys, and its address shows the same again', async () => {
    await open('/metrics/mvrv?range=1y')
    const box = (await page.locator('.chart .box').boundingBox())!
    // The dates are moved where they are written.
    await page.mouse.move(box.x + 500, box.y + box.height - 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 560, box.y + 150, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=/)
    const [, from = '', to = ''] = /from=([\d-]+)&to=([\d-]+)/.exec(address()) ?? []
    expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(364)
    expect(Date.parse(to)).toBeLessThan(lastDay * 86_400_000)
    await page.reload()
    await page.locator('.picture > svg').waitFor()
    expect(await button('1y').getAttribute('aria-pressed')).toBe('false')
    // The second comes before the first is drawn.
    await page.evaluate(() => {
      for (const key of ['9', 'l']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
    await page.waitForURL('/metrics/mvrv?scale=log')
    expect(await button('All').getAttribute('aria-pressed')).toBe('true')
  })

  test('on the workbench a mistake is shown in its place', async () => {
    await open('/workbench?metrics=mvrv')
    const field = page.getByRole('combobox', { name: 'Add a metric or formula' })
    await field.fill('correlation')
    await page.getByRole('option', { name: 'corr(a, b, n)' }).waitFor()
    await field.fill('')
    await field.pressSequentially('sma(pric')
    await page.getByRole('option', { name: 'price Price' }).click()
    await field.press('Escape')
    await page.getByText('The formula ends too early at position 10').waitFor()
    expect(await field.inputValue()).toBe('sma(price')
    await field.press('End')
    await field.pressSequentially(', 7)')
    await field.press('Enter')
    await page.waitForURL(/\?c=/)
    await page.locator('.picture').getByText('sma(price, 7)', { exact: true }).waitFor()
  })

  test('without the service a page says so, loses nothing, and goes on when it is back', async () => {
    await open('/workbench?metrics=mvrv')
    await page.route('**/v1/**', (route) => route.abort())
    const field = page.getByRole('combobox', { name: 'Add a metric or formula' })
    await field.fill('realized_cap')
    await field.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/does not answer/)
      .waitFor()
    expect(await page.getByRole('combobox', { name: 'Series 2' }).inputValue()).toBe('realized_cap')
    await page.unroute('**/v1/**')
    await button('Try again').click()
    await page.locator('.picture text', { hasText: 'Realized cap' }).first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('an open page shows a new generation', async () => {
    await open('/metrics/mvrv')
    await page.route('**/health', async (route) => {
      const health = await (await route.fetch()).json()
      await route.fulfill({ json: { ...health, generation: 'the-next-one' } })
    })
    const asked = page.waitForRequest(/v1\/series\?metrics=mvrv/)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await asked
    await page.getByText('Generation the-next-one').waitFor()
    expect(await page.locator('.picture > svg').count()).toBe(1)
  })

  test('who has no key sees 60 days and which tier sees more, and may not look at more by the address', async () => {
    const tiered = await serve(chain.dataDir, withoutLimits)
    try {
      await page.goto(`${tiered.url}/`)
      await page.getByRole('link', { name: 'NUPL' }).getByText('With a key of tier pro').waitFor()
      await page.locator('.card', { hasText: 'MVRV' }).getByText('percentile').waitFor()
      // The caption names the days: percentiles of all, lines of those that may be seen.
      const caption = page.getByText(/^Percentiles are of all days .* Lines show the days since /)
      const [, since = ''] = /since (\d{4}-\d\d-\d\d)\.$/.exec(await caption.innerText()) ?? []
      expect((Date.parse(isoDate(lastDay)) - Date.parse(since)) / 86_400_000).toBeCloseTo(59.5, -0.5)
      await page.goto(`${tiered.url}/metrics/nupl`)
      await page
        .getByRole('alert')
        .getByText(/needs an API key of tier pro or higher\.$/)
        .waitFor()
      // The first workbench draws all of its series, and says how much of history this is.
      await page.goto(`${tiered.url}/workbench`)
      await expect.poll(() => page.locator('.picture path.series').count()).toBe(2)
      await page.getByText(`60 of ${chainDays} days.`).getByRole('link', { name: 'Sign in for all' }).click()
      await page.waitForURL('**/account')
    } finally {
      await tiered.close()
    }
  })

  test('the browser reported nothing except refused requests', () => {
    expect(complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([])
  })
})
