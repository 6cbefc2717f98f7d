import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { templates } from '#render/request/templates.ts'
import { chainDays, lastDay } from '#test/api/support/served-chain.ts'
import { serve, withoutLimits } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { address, button, readState } from './support/chart-controls.ts'
import { chain, complaints, open, openPages, page, visit } from './support/opened.ts'

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
    await page.getByRole('link', { name: 'Open in the workbench' }).click()
    await page.waitForURL(/workbench/)
    await expect.poll(() => page.getByLabel('Series 1', { exact: true }).inputValue()).toBe('mvrv')
    await open('/charts?q=zzz')
    await page.getByRole('link', { name: 'Search metrics' }).click()
    await page.waitForURL(/metrics\?q=zzz/)
  })

  test('a template opens in the workbench with its stack, candles, panes, points and range', async () => {
    await open('/charts')
    const openTemplate = async (name: string) => {
      await visit(`/charts?t=${name}`)
      await page.getByRole('link', { name: 'Open in the workbench' }).click()
      await page.locator('.workbench .picture > svg').waitFor()
      await page.getByLabel('Halvings', { exact: true }).click()
      await page.waitForURL(/c=/)
      expect(page.url()).not.toContain('template')
      return { ...(await readState()), range: new URL(page.url()).searchParams.get('range') }
    }
    expect(await openTemplate('price_candles_weekly')).toMatchObject({
      interval: 'week',
      range: '4y',
      lines: [{ text: 'price', style: 'candle' }],
    })
    const waves = await openTemplate('hodl_waves')
    expect(waves).toMatchObject({ title: 'HODL waves: supply by age', stacked: 'yes' })
    expect(waves.lines).toHaveLength(12)
    expect(await openTemplate('macd')).toMatchObject({
      range: '1y',
      lines: [
        { text: 'macd', axis: 'below' },
        { text: 'macd_signal', axis: 'below' },
        { text: 'macd_histogram', axis: 'below', style: 'bar' },
        { text: 'price', axis: 'auto' },
      ],
    })
    expect(await openTemplate('monthly_returns')).toMatchObject({
      title: '',
      cycles: 'months',
      lines: [{ text: 'price' }],
    })
    const without = async (name: string, sign: string): Promise<void> => {
      await visit(`/charts?t=${name}`)
      await page.getByText(sign).first().waitFor()
      expect(await page.getByRole('link', { name: 'Open in the workbench' }).count()).toBe(0)
    }
    await without('urpd', 'The cost basis on another day')
    // The workbench would divide each cycle by its first day.
    await without('mvrv_cycles', templates.mvrv_cycles!.title!)
  })

  test('futures show the change in 30 days, and lead to the charts of each exchange', async () => {
    await open('/markets?of=futures')
    await page.getByText('Change, 30 days').waitFor()
    await page.getByRole('columnheader', { name: '30 days' }).waitFor()
    await page.locator('td a[href="/metrics/funding_annualized_binance"]').click()
    await page.getByRole('heading', { name: /^Funding rate on Binance/ }).waitFor()
  })

  test('the percentile of a metric is a line below its value', async () => {
    await page.setViewportSize({ width: 1366, height: 768 })
    await open('/metrics')
    const percentile = page.locator('.table td .also', { hasText: 'percentile' }).first()
    const distance = await percentile.evaluate((also) => {
      const value = document.createRange()
      value.setStart(also.parentElement ?? also, 0)
      value.setEndBefore(also)
      return also.getBoundingClientRect().top - value.getBoundingClientRect().bottom
    })
    expect(distance).toBeGreaterThan(-3)
  })

  test('a metric says how its days become a week', async () => {
    await open('/metrics/mvrv')
    await page.getByText('A week, month or year').waitFor()
    expect(await page.locator('main').innerText()).toMatch(/A week, month or year\s+last value/)
  })

  test('the scale of the price beside a metric has a button of its own', async () => {
    await open('/metrics/mvrv')
    const price = button('Log price')
    const before = await price.getAttribute('aria-pressed')
    await price.click()
    await expect.poll(() => price.getAttribute('aria-pressed')).toBe(before === 'true' ? 'false' : 'true')
    expect(await button('Log').getAttribute('aria-pressed')).toBe('false')
    expect(address()).toMatch(/price_overlay$/)
    await button('Price').click()
    await price.waitFor({ state: 'detached' })
    await open('/workbench?metrics=mvrv,price')
    await expect.poll(() => button('Log').getAttribute('title')).toBe('All axes; for one, click its numbers')
  })

  test('charts of a board have a range in common, and a link holds a board without an account', async () => {
    for (const chart of ['/metrics/mvrv', '/metrics/price?range=3m', '/charts?t=mvrv_cycles']) {
      await open(chart)
      await button('Save or share').click()
      await button('Pin to the board').click()
      await page.getByRole('link', { name: 'Pinned: open the board' }).waitFor()
    }
    await open('/board')
    const ranges = () =>
      page
        .locator('.board [aria-pressed=true]')
        .filter({ hasText: /^\d+[my]$|^All$/ })
        .allTextContents()
    await expect.poll(ranges).toEqual(['All', '3m'])
    await page.locator('.all-ranges').getByText('6m').click()
    await expect.poll(ranges).toEqual(['6m', '6m'])
    await page.evaluate(() => {
      Object.assign(navigator.clipboard, { writeText: (text: string) => Object.assign(window, { copied: text }) })
    })
    await button('Copy a link to it').click()
    const link = String(await page.evaluate(() => Reflect.get(window, 'copied')))
    expect(link).toContain('/board?range=6m#')
    await page.evaluate(() => localStorage.removeItem('board'))
    await page.goto('/')
    await open(link)
    await page.getByRole('heading', { name: 'Shared board' }).waitFor()
    await expect.poll(ranges).toEqual(['6m', '6m'])
    await page.locator('.all-ranges').getByText('1m').click()
    await expect.poll(ranges).toEqual(['1m', '1m'])
    expect(await page.locator('.board article').count()).toBe(3)
  })

  test('a picture in the chosen shape is printed alone, for a PDF', async () => {
    await open('/metrics/mvrv')
    await button('Save or share').click()
    await page.getByLabel('Shape').selectOption('1:1, PNG of 2160 × 2160 pixels')
    await page.evaluate(() => Object.assign(window, { print: () => undefined }))
    await button('PDF or print').click()
    const picture = page.locator('body > svg')
    await picture.waitFor({ state: 'attached' })
    await page.emulateMedia({ media: 'print' })
    const seen = [await picture.isVisible(), await page.locator('main').isVisible()]
    await page.emulateMedia({ media: 'screen' })
    expect(seen).toEqual([true, false])
    expect(await picture.getAttribute('viewBox')).toBe('0 0 1080 1080')
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    expect(await picture.count()).toBe(0)
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

  test('a search finds pages, charts and guides beside metrics', async () => {
    await open('/status')
    for (const [words, href] of [
      ['api key', /^\/docs\/[a-z-]+(#.+)?$/],
      ['correlation', /^\/docs\/pages#/],
      ['best month', /^\/docs\/pages#seasonality/],
      ['connect claude', /^\/docs\/pages#/],
      ['hodl waves', /^\/charts\?t=(realized_cap_)?hodl_waves$/],
      ['signals', /^\/signals$/],
    ] as const) {
      await visit(`/metrics?q=${encodeURIComponent(words)}`)
      await page.locator('.found a').first().waitFor()
      expect(await page.getByText(/^Not tracked/).count(), words).toBe(0)
      expect(await page.locator('.found a').first().getAttribute('href'), words).toMatch(href)
      await visit('/status')
      await page.locator('.found').waitFor({ state: 'detached' })
    }
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
      await page.goto(`${tiered.url}/cohorts`)
      await page.getByText('This needs an account of tier pro or higher.').first().waitFor()
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
