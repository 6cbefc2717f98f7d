import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { lastDay } from '#test/api/support/served-chain.ts'
import { shareOfDifferentPixels } from '#test/render/pixels.ts'
import { browser } from '#test/support/browser.ts'
import { writeCount, writeValue } from '#web/parts/numbers.ts'
import { address, askedBy, button, readState } from './support/chart-controls.ts'
import { complaints, findings, open, openPages, overflow, page, server, tools, visit } from './support/opened.ts'
import { expectPicture, pictures } from './support/saved-picture.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test('the page on mining lists the last blocks, and the shares of pools within a week and a month', async () => {
    const readRows = (heading: string): Promise<string[][]> =>
      page
        .locator('section', { has: page.getByRole('heading', { name: heading, exact: true }) })
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
    const ask = async (path: string) => (await (await fetch(server.url + path)).json()).data
    await open('/mining')
    const [newest] = await ask('/v1/blocks?limit=1')
    const pools = await ask('/v1/pools')
    const blocks = await readRows('Last blocks')
    expect(blocks).toHaveLength(12)
    const month = await ask(`/v1/pools?start_date=${isoDate(lastDay - 29)}`)
    const name = month.find(({ pool }: { pool: string }) => pool === newest.pool)?.name ?? '–'
    expect(blocks[0]).toEqual(expect.arrayContaining([newest.height.toLocaleString('en'), name]))
    const shareOf = (one?: { share_percent: number }) => `${(one?.share_percent ?? 0).toFixed(1)}\u00a0%`
    const shares = month.map((one: { pool: string; name: string; share_percent: number }) => [
      one.name,
      shareOf(pools.find(({ pool }: { pool: string }) => pool === one.pool)),
      shareOf(one),
    ])
    expect((await readRows('Pools')).map((row) => row.slice(0, 3))).toEqual(shares.slice(0, 12))
  })

  test('the page on addresses has the newest estimates with their intervals, and says what is withheld or not counted', async () => {
    const cells = (): Promise<string[][]> =>
      page
        .locator('.balances tbody tr')
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
    const newest = async (measure: string): Promise<number> =>
      (await (await fetch(`${server.url}/v1/addresses/estimates?measure=${measure}&limit=1`)).json()).data[0].value
    await open('/addresses')
    const exact = await cells()
    expect(exact).toHaveLength(10)
    expect(exact[3]).toEqual([
      '1 BTC or more',
      writeCount(await newest('over_1')),
      `${writeValue('', await newest('supply_over_1'))}\u00a0BTC`,
    ])
    expect(exact[9]![2]).toBe(`${writeValue('', await newest('supply_total_exposed'))}\u00a0BTC`)
    const answerWith = (data: readonly object[]) =>
      page.route('**/v1/addresses/estimates?**', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), data } })
      })
    await answerWith([{ date: '2010-03-08', value: null, low: 1234, high: 5678 }])
    await open('/addresses')
    expect((await cells())[0]).toEqual(['0.001 BTC or more', 'withheld1,234 to 5,678', 'withheld1,234 to 5,678'])
    await page.unrouteAll()
    await answerWith([])
    await open('/addresses')
    expect(await cells()).toEqual([])
    await page.locator('.balances').getByText('ADDRESSES=off').waitFor()
  })

  test('the charts of a page request their data once and together', async () => {
    const asked = await askedBy(() => open('/'))
    const histories = asked.filter((one) => one.startsWith('/v1/series') && one.includes('limit='))
    expect(histories).toEqual([expect.stringContaining('metrics=price%2Crealized_price%2Csth_realized_price&')])
    expect(asked.filter((one, i) => one.startsWith('/v1/') && asked.indexOf(one) !== i)).toEqual([])
  })

  test.each([
    ['/', /^v1\/series\?metrics=price%2C/],
    ['/metrics/mvrv', /^v1\/metrics\/mvrv\?fields=all$/],
    ['/workbench?range=4y', /^v1\/series\?metrics=price%2Crealized_price&/],
  ])('the document of %s preloads the requests of its page, and each is sent once', async (path, first) => {
    const document = await (await fetch(server.url + path)).text()
    const early = [...document.matchAll(/as="fetch" crossorigin href="([^"]+)"/g)].map(([, address = '']) =>
      address.replaceAll('&amp;', '&'),
    )
    expect(early).toEqual(expect.arrayContaining([expect.stringMatching(first), 'v1/metrics/index']))
    const made = await askedBy(() => open(path))
    for (const address of early) expect(made.filter((one) => one === `/${address}`)).toEqual([`/${address}`])
    // Without a document, the page itself must have sent them, except for the index, which is
    // cached by then.
    await open('/status')
    const byPage = await askedBy(async () => {
      await visit(path)
      await page.locator('.picture > svg').first().waitFor()
      await page.waitForLoadState('networkidle')
    })
    expect(byPage).toEqual(
      expect.arrayContaining(early.filter((one) => one !== 'v1/metrics/index').map((one) => `/${one}`)),
    )
  })

  test('during a gesture the chart matches its dates, and afterwards it looks the same', async () => {
    await open('/workbench?metrics=mvrv,price,lth_supply&from=2009-07-01&to=2009-12-01')
    const box = (await page.locator('.chart .box').boundingBox())!
    const looks = async () => new Uint8Array(await page.screenshot({ clip: box }))
    await page.keyboard.down('Shift')
    await page.mouse.move(box.x + 500, box.y + 150)
    await page.mouse.down()
    await page.keyboard.up('Shift')
    await page.mouse.move(box.x + 510, box.y + 150)
    const canvas = page.locator('.moving canvas')
    await canvas.waitFor()
    const begun = await looks()
    // A whole number of days, to which the chart snaps afterwards.
    await page.mouse.move(box.x + 636, box.y + 150)
    await expect.poll(async () => shareOfDifferentPixels(begun, await looks())).toBeGreaterThan(0.02)
    const moved = await looks()
    await page.mouse.up()
    await expect.poll(() => canvas.count()).toBe(0)
    await page.mouse.move(0, 0)
    const still = await looks()
    expect(await shareOfDifferentPixels(moved, still)).toBeLessThan(0.02)
    await page.goBack()
  })

  test('phrases complete to metrics, alone and within a formula', async () => {
    await open('/workbench?metrics=mvrv')
    const field = page.getByRole('combobox', { name: 'Add a metric or formula' })
    const first = page.locator('.offers [role=option]').first()
    await field.pressSequentially('realized price')
    await expect.poll(() => first.textContent()).toMatch(/^realized_price/)
    await field.press('Enter')
    await expect
      .poll(() =>
        page
          .getByRole('combobox', { name: 'Series 2' })
          .inputValue()
          .catch(() => ''),
      )
      .toBe('realized_price')
    await field.pressSequentially('sma(price-Short-term holder cost basis')
    await expect.poll(() => first.textContent()).toMatch(/^sth_realized_price/)
    await field.press('ArrowDown')
    await field.press('Enter')
    expect(await field.inputValue()).toBe('sma(price-sth_realized_price')
    await field.pressSequentially(', 7)')
    await field.press('Enter')
    await page.locator('.picture').getByText('sma(price-sth_realized_price, 7)', { exact: true }).waitFor()
    await field.pressSequentially('mvrv')
    await field.pressSequentially(' and no')
    await page.locator('.offers').getByText('not a', { exact: true }).waitFor()
    await field.fill('market cap realized')
    await field.blur()
    await page.getByText(/Did you mean '\w+'\?|did you mean '\w+'\?/).waitFor()
  })

  test('two days are compared: values, difference and percent, in the address', async () => {
    await open('/workbench?metrics=price,mvrv,price*2')
    await button('Compare two days').click()
    await page.getByLabel('Day A').fill('2009-08-01')
    await page.getByLabel('Day B').fill('2010-01-31')
    const { data } = await (
      await fetch(`${server.url}/v1/series?metrics=price,mvrv&start_date=2009-08-01&end_date=2010-01-31`)
    ).json()
    const [b, a] = [data[0], data.at(-1)]
    expect([a.date, b.date]).toEqual(['2009-08-01', '2010-01-31'])
    const rows = () =>
      page
        .locator('.compare tbody tr')
        .all()
        .then((all) => Promise.all(all.map((row) => row.locator('td').allTextContents())))
    const usd = (value: number) => `$${value.toFixed(2)}`
    const percent = (from: number, to: number) => {
      const grown = 100 * (to / from - 1)
      return `${grown < 0 ? '−' : '+'}${Math.abs(grown).toFixed(Math.abs(grown) < 10 ? 1 : 0)}\u00a0%`
    }
    const difference = b.price - a.price
    const wanted = [
      [
        usd(a.price),
        usd(b.price),
        `${difference < 0 ? '−' : '+'}${usd(Math.abs(difference))}`,
        percent(a.price, b.price),
      ],
      [
        expect.stringMatching(/^\d/),
        expect.stringMatching(/^\d/),
        expect.stringMatching(/^[+−]\d/),
        expect.any(String),
      ],
      [usd(2 * a.price), usd(2 * b.price), expect.any(String), percent(a.price, b.price)],
    ]
    await expect.poll(rows).toEqual(wanted)
    await page.locator('.verticals').getByText('A', { exact: true }).waitFor()
    expect(await findings()).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(overflow).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.reload()
    await expect.poll(rows).toEqual(wanted)
    await page.goBack()
    await expect.poll(() => page.getByLabel('Day B').inputValue()).toBe(isoDate(lastDay))
  })

  test('a chart of a cohort leads to its comparison with others', async () => {
    await open('/cohorts')
    await page.getByRole('button', { name: /^MVRV, Short-term holders/ }).click()
    const table = page.getByRole('region', { name: 'Cohorts' })
    await table.locator('.picture > svg').waitFor()
    // Its margins do not make the table scroll.
    expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    await page.getByRole('link', { name: 'Compare it with long-term and short-term holders' }).click()
    await expect.poll(() => page.locator('.picture path.series').count()).toBe(2)
    expect(address()).toBe('/workbench?metrics=sth_mvrv,lth_mvrv')
  })

  test('cohorts by size, script type and origin have values, each group at an address of its own', async () => {
    for (const { name, id, first, last } of [
      { name: 'Size', id: 'size', first: 'No value', last: '100,000 BTC or more' },
      { name: 'Script type', id: 'type', first: 'P2PK', last: 'Other' },
      { name: 'Origin', id: 'origin', first: 'Public key visible', last: 'Moved since mined' },
    ]) {
      await open('/cohorts')
      await page.getByRole('link', { name, exact: true }).click()
      const rows = page.getByRole('region', { name: 'Cohorts' }).locator('tbody th')
      await expect.poll(() => rows.nth(1).textContent()).toBe(first)
      expect([await rows.first().textContent(), await rows.last().textContent()]).toEqual(['All coins', last])
      expect(address()).toBe(`/cohorts?by=${id}`)
      const supplies = page.getByRole('button', { name: /^Supply, BTC, / })
      await expect.poll(() => supplies.count()).toBe(await rows.count())
    }
  })

  test('series are put in order by dragging and by keys, panes share one crosshair, and the address keeps all', async () => {
    const loaded = await askedBy(() => open('/workbench?metrics=price,mvrv,nupl'))
    expect(
      loaded.filter((one) => /-other-/.test(one)),
      'fonts beyond Latin',
    ).toEqual([])
    const order = () =>
      page
        .getByRole('combobox', { name: /^Series \d/ })
        .all()
        .then((all) => Promise.all(all.map((one) => one.inputValue())))
    await page.getByRole('button', { name: /: move Price:/ }).press('ArrowDown')
    await expect.poll(order).toEqual(['mvrv', 'price', 'nupl'])
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toMatch(/: move Price:/)
    const [first, last] = [
      page.getByRole('button', { name: /: move MVRV:/ }),
      page.getByRole('button', { name: /: move NUPL:/ }),
    ]
    await first.scrollIntoViewIfNeeded()
    const [from, to] = [(await first.boundingBox())!, (await last.boundingBox())!]
    await page.mouse.move(from.x + 5, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(from.x + 5, to.y + 20, { steps: 3 })
    await page.mouse.up()
    await expect.poll(order).toEqual(['price', 'nupl', 'mvrv'])
    await page.getByLabel('Axis of MVRV').selectOption('Pane below')
    await page.getByLabel('Axis of NUPL').selectOption('Second pane')
    await page.locator('.picture .axis.left .ticks').nth(1).waitFor()
    await page.getByLabel('Events').check()
    await expect.poll(readState).toMatchObject({ events: true })
    await page.reload()
    await page.locator('.picture .axis.left .ticks').nth(1).waitFor()
    await expect.poll(() => page.getByLabel('Events').isChecked()).toBe(true)
    expect(await order()).toEqual(['price', 'nupl', 'mvrv'])
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await page.keyboard.press('ArrowLeft')
    await page.locator('.reading').waitFor()
    expect(await page.locator('.reading dt').allTextContents()).toEqual(['Price', 'NUPL', 'MVRV'])
    const line = (await page.locator('.crosshair .line').boundingBox())!
    const dots = await Promise.all((await page.locator('.crosshair > i').all()).map((dot) => dot.boundingBox()))
    const parts = dots.map((dot) => (dot!.y + dot!.height / 2 - line.y) / line.height)
    // One per pane: the upper 44 %, and two quarters with gaps between.
    expect(parts.map((part) => (part < 0.45 ? 'above' : part < 0.73 ? 'below' : 'lowest'))).toEqual([
      'above',
      'lowest',
      'below',
    ])
  })

  test('a change of the workbench that follows at once is not undone by the one before', async () => {
    await open('/workbench?metrics=mvrv')
    await page.evaluate(() => {
      const { arrayBuffer } = Response.prototype
      let delay = 300
      // Packing the first change takes longer than packing the next.
      Response.prototype.arrayBuffer = async function () {
        const wait = delay
        delay = 0
        await new Promise((resolve) => setTimeout(resolve, wait))
        return arrayBuffer.call(this)
      }
    })
    await page.getByLabel('Events').check()
    await page.getByRole('checkbox', { name: 'Halvings' }).check()
    await page.waitForTimeout(600)
    expect(await readState()).toMatchObject({ events: true, halvings: true })
    expect(await page.getByRole('checkbox', { name: 'Halvings' }).isChecked()).toBe(true)
  })

  test('days without data say so and offer all days', async () => {
    await open('/metrics/mvrv?from=2009-01-05&to=2009-01-20')
    await page.getByRole('alert').getByText('There is no data from 5 January 2009 to 20 January 2009.').waitFor()
    await button('Show all days').click()
    await page.locator('.picture > svg').waitFor()
    expect(address()).toBe('/metrics/mvrv')
    await open('/metrics/mvrv_z_2y?price=off')
    await page.getByRole('alert').getByText('whether its source was read').waitFor()
  })

  test('an address that was cut says so, and another chart can be begun', async () => {
    await open('/workbench?c=q1YqUrJSqlbKyczLVrJSMtIpSSxKTy1R')
    await page.getByText('This address contains no chart').waitFor()
    await button('Start another chart').click()
    await page.locator('.picture > svg').waitFor()
    expect(await page.getByText('This address contains no chart').count()).toBe(0)
  })

  test('a page that is asked to wait says so, and goes on by itself', async () => {
    let refusals = 0
    await page.route('**/v1/series**', (route) => {
      if (refusals++ > 0) return route.continue()
      const error = { code: 'rate_limited', message: 'more than 100 requests', details: { retry_after: 4 } }
      return route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json: { error } })
    })
    await page.goto('/metrics/nupl')
    await page.getByText(/^You looked at much in one minute/).waitFor()
    await page.locator('.picture > svg').waitFor()
    expect(await page.getByText(/^You looked at much/).count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('addresses that lead nowhere lead on', async () => {
    const answer = await page.goto('/short-term holder sopr')
    expect([answer?.status(), answer?.headers()['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
    await page.locator('.suggestions').getByText('sth_sopr', { exact: true }).waitFor()
    await open('/metrics/lth_mvr')
    await page.locator('.suggestions a').first().waitFor()
    expect(await findings()).toEqual([])
    await page.locator('.suggestions a[href="/metrics/lth_mvrv"]').click()
    await page.waitForURL('/metrics/lth_mvrv')
    await page.locator('.picture > svg').waitFor()
  })

  test('where everything is open nothing leads to accounts, and nothing asks for one', async () => {
    await open('/metrics/nupl')
    await button('Save or share').click()
    await page.getByText('Other sites cannot show it: this service runs with ACCESS=open.').waitFor()
    await button('Pin to the board').click()
    await page.getByRole('link', { name: 'Pinned: open the board' }).click()
    await page.getByText('This board is stored in this browser.').waitFor()
    for (const path of ['/board', '/', '/metrics/nupl']) {
      if (path !== '/board') await open(path)
      expect([path, await page.getByText(/sign in|sign up|account|\btier\b|seen by/i).count()]).toEqual([path, 0])
      expect(await page.locator('a[href$="/account"]').count()).toBe(0)
    }
    await open('/account')
    await page.getByRole('heading', { name: 'No account needed', level: 1 }).waitFor()
    expect(await page.getByRole('main').locator('input').count()).toBe(0)
    const editor = await page.getByRole('link', { name: 'Add to VS Code' }).getAttribute('href')
    expect(decodeURIComponent(editor!)).toContain(`"url":"${server.url}/mcp"`)
  })

  test('the browser reported nothing except refused requests', () => {
    expect(complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([])
  })

  test('two fingers zoom a chart about the place between them', async () => {
    await open('/workbench?metrics=mvrv')
    const box = (await page.locator('.chart .box').boundingBox())!
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: readonly number[]) =>
      tools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 200, id })),
      })
    await touch('touchStart', 450, 650)
    for (const apart of [120, 140, 160, 180, 200]) await touch('touchMove', 550 - apart, 550 + apart)
    await touch('touchEnd')
    await page.waitForURL(/from=/)
    const [, from = '', to = ''] = /from=([\d-]+)&to=([\d-]+)/.exec(address()) ?? []
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
    // Twice the distance, half of the days.
    expect(days).toBeGreaterThan(170)
    expect(days).toBeLessThan(230)
  })

  test('a page whose script did not arrive loads when one tries again', async () => {
    await open('/status')
    await page.route('**/*', (route) => route.abort())
    await page.getByRole('navigation').getByText('Explore').click()
    await page.getByRole('navigation').getByRole('link', { name: 'Cohorts' }).click()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/*')
    await button('Try again').click()
    await page.getByRole('heading', { name: 'Cohorts', level: 1 }).waitFor()
    await page.locator('.matrix td b').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a picture is saved or copied with the title, shape and theme that one chose', async () => {
    await open('/metrics/mvrv')
    await button('Save or share').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title', { exact: true }).fill('A headline')
    await dialog.getByLabel('Subtitle').fill('What it says')
    await dialog.getByLabel('Shape').selectOption('1:1')
    await dialog.getByLabel('Theme').selectOption('dark')
    const [download] = await Promise.all([page.waitForEvent('download'), button('PNG').click()])
    expect(download.suggestedFilename()).toBe('a-headline.png')
    const { width, height } = await sharp(await download.path()).metadata()
    expect([width, height]).toEqual([2_160, 2_160])
    const [red = 255] = await sharp(await download.path())
      .extract({ left: 2, top: 2, width: 1, height: 1 })
      .raw()
      .toBuffer()
    expect(red).toBeLessThan(40)
    const [drawing] = await Promise.all([page.waitForEvent('download'), button('SVG').click()])
    const svg = readFileSync(await drawing.path(), 'utf8')
    for (const text of ['A headline', 'What it says', 'viewBox="0 0 1080 1080"']) expect(svg).toContain(text)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await button('Copy image').click()
    await button('Copied').waitFor()
    const copied = await page.evaluate(async () => (await navigator.clipboard.read()).map(({ types }) => types))
    expect(copied).toEqual([['image/png']])
  })

  test.each(pictures)('the picture saved of %s is that of the API', expectPicture)
})
