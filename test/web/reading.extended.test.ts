import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { chainDays, lastDay } from '#test/api/support/served-chain.ts'
import { serve, withoutLimits } from '#test/api/support/test-server.ts'
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
  labels,
  lowest,
  readings,
  rowsOf,
  setEnds,
  shownDays,
  ticks,
} from './support/chart-controls.ts'
import { expectReadings } from './support/crosshair.ts'
import { chain, findings, open, openPages, page, server, settle, tools } from './support/opened.ts'

const yOf = () => new URL(page.url()).searchParams.get('y')

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

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

  test.each(['week', 'month'] as const)('the crosshair reads all digits that the API serves, by %s', expectReadings)

  test('every metric is drawn by weeks and months', async () => {
    await open('/metrics/mvrv')
    await page.getByLabel('Points are', { exact: true }).selectOption('Weeks')
    await expect.poll(address).toBe('/metrics/mvrv?interval=week')
    await settle()
    const [newest] = await rowsOf('series?metrics=mvrv&interval=1w&limit=1')
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await readings())[0]).toBe(writeReading('', newest!.mvrv!))
  })

  test('a metric with hours is drawn and read by the hour, and by days again', async () => {
    await open('/metrics/circulating_supply?range=1y')
    const points = page.getByLabel('Points are', { exact: true })
    expect(await points.locator('option').allTextContents()).toContain('Hours')
    await points.selectOption('Hours')
    await expect.poll(address).toBe('/metrics/circulating_supply?interval=hour')
    await settle()
    await expect.poll(() => page.locator('.chart desc').first().textContent()).toMatch(/hour|:00/i)
    const [newest, before] = await rowsOf('series?metrics=circulating_supply&interval=1h&limit=2')
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await readings())[0]).toBe(writeReading('BTC', newest!.circulating_supply!))
    const time = new Date(String(newest!.time)).toISOString()
    expect(await page.locator('.reading p').textContent()).toContain(time.slice(11, 16))
    await page.keyboard.press('ArrowLeft')
    await expect.poll(async () => (await readings())[0]).toBe(writeReading('BTC', before!.circulating_supply!))
    await button('1m').click()
    await expect.poll(address).toBe('/metrics/circulating_supply?interval=hour&range=1m')
    await button('Save or share').click()
    await button('SQL').click()
    await expect
      .poll(() => page.locator('.share pre').allTextContents())
      .toContainEqual(expect.stringContaining('request them from the API'))
    await button('Close').click()
    expect(await findings()).toEqual([])
    await points.selectOption('Days')
    await expect.poll(address).toBe('/metrics/circulating_supply')
    await open('/metrics/address_gini')
    expect(await points.locator('option').allTextContents()).toEqual(['Days', 'Weeks', 'Months'])
  })

  test('a reading is rounded while its digits cannot be loaded', async () => {
    await open('/metrics/circulating_supply')
    await page.route(/v1\/series\?metrics=circulating_supply(%2Cprice)?&format/, (route) => route.abort())
    await page.locator('.chart .box').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.reading').waitFor()
    await page.waitForTimeout(600)
    expect((await readings())[0]).toMatch(/^[\d.]+[kM]$/)
    await page.unroute(/v1\/series\?metrics=circulating_supply(%2Cprice)?&format/)
  })

  test('a heatmap is read by pointer and keys: prices and supply of the cell, and the price', async () => {
    await open('/metrics/cost_basis_distribution')
    const isRead = async () => {
      // Once more for each try, since a chart that is drawn again needs a new movement.
      await page.mouse.move(0, 0)
      await page.locator('.chart .box').hover({ position: { x: 700, y: 200 } })
      return await page.locator('.reading').isVisible()
    }
    await expect.poll(isRead, { timeout: 30_000 }).toBe(true)
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
    await page.getByText('In words and numbers').click()
    await expect.poll(() => page.locator('.in-words tbody th').last().textContent()).toBe('$1.00')
  })

  test('a chart says in words what it shows, to screen readers too, and its values are in a table on request', async () => {
    await open(`/workbench?metrics=mvrv,price&from=${isoDate(lastDay - 149)}&to=${isoDate(lastDay)}`)
    await page.getByText('In words and numbers').click()
    const words = await page.locator('.in-words p').innerText()
    expect(words).toMatch(/^MVRV: last [\d.]+ on .*, (up|down) from [\d.]+ on .*, lowest .*, highest .*\. Price: last /)
    const { nodes } = await tools.send('Accessibility.getFullAXTree')
    const picture = nodes.find(({ role, description }) => role?.value === 'image' && description?.value !== undefined)
    expect(picture?.description?.value).toBe(words)
    const table = page.getByRole('region', { name: /^Values of/ })
    await table.waitFor()
    const rows = await rowsOf('series?metrics=mvrv,price&limit=150')
    const texts = () => table.locator('tbody tr').evaluateAll((all) => all.map((row) => (row as HTMLElement).innerText))
    const written = rows.map(({ date, mvrv = 0, price = 0 }) =>
      [date, writeReading('ratio', mvrv), writeReading('USD', price)].join('\t'),
    )
    expect(await texts()).toEqual(written.slice(0, 100))
    await button('100 more of 150 rows').click()
    expect(await texts()).toEqual(written)
    expect(await findings()).toEqual([])
  })

  test.each(['week', 'month'] as const)(
    'every %s of a chart has the value of the API, however a metric adds up its days',
    async (interval) => {
      // The newest, the first, the greatest and the least value of a period, the sum, that of its sums.
      const units = { market_cap: 'USD', open: 'USD', high: 'USD', low: 'USD', blocks_mined: 'count', sopr: 'ratio' }
      const metrics = Object.keys(units)
      const { data } = await (await fetch(`${server.url}/v1/metrics?variants=all&fields=aggregate`)).json()
      const aggregates = new Map(data.map(({ id, aggregate }: Record<string, string>) => [id, aggregate]))
      expect(metrics.map((id) => aggregates.get(id))).toEqual(['last', 'first', 'max', 'min', 'sum', 'formula'])
      await open(`/chart/${await packChart({ title: 'A chart', metrics, interval, range: 'all' })}`)
      await page.getByText('In words and numbers').click()
      const table = page.getByRole('region', { name: 'Values of A chart' })
      await table.waitFor()
      const rows = await rowsOf(`series?metrics=${metrics}&interval=${interval}&limit=100`)
      expect(rows.length).toBeGreaterThan(3)
      const texts = await table
        .locator('tbody tr')
        .evaluateAll((all) => all.map((row) => (row as HTMLElement).innerText.split('\t').slice(1)))
      expect(texts).toEqual(
        rows.map((row) =>
          Object.entries(units).map(([id, unit]) => (row[id] === null ? '–' : writeReading(unit, row[id] ?? 0))),
        ),
      )
    },
  )

  test('two fields choose the days: in any order, one day, outside the history, by keyboard', async () => {
    await open('/metrics/mvrv?price=off')
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
    const [first, last] = [await from.inputValue(), await to.inputValue()]
    expect(last).toBe(isoDate(lastDay))
    const days = () => Promise.all([from.inputValue(), to.inputValue()])
    await to.fill('2009-05-31')
    await page.waitForURL(`**from=${first}&to=2009-05-31`)
    // The other end moves along, and the chart stays as long.
    await from.fill('2009-06-15')
    await page.waitForURL(/from=2009-06-15/)
    const [, end = ''] = await days()
    expect(Date.parse(end) - Date.parse('2009-06-15')).toBe(Date.parse('2009-05-31') - Date.parse(first))
    await to.fill('2009-06-15')
    await page.waitForURL('**from=2009-06-15&to=2009-06-15')
    await page.locator('.picture .dot').waitFor()
    await page.reload()
    await page.locator('.picture .dot').waitFor()
    // Typed, month by day by year: what is valid on the way changes nothing.
    await from.focus()
    await page.keyboard.type('07/01/2009')
    await to.focus()
    await page.waitForURL(/from=2009-07-01/)
    await page.keyboard.type('01/01/2031')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**from=2009-07-01&to=${last}`)
    await from.fill('')
    await to.focus()
    expect(await days()).toEqual(['2009-07-01', last])
    await button('All').click()
    await expect.poll(days).toEqual([first, last])
    expect(await findings()).toEqual([])
  })

  test('a visitor cannot choose ranges beyond the days of the tier, and is told', async () => {
    const tiered = await serve(chain.dataDir, withoutLimits)
    // The chain of the test is in its first days; this is the height of August 2025.
    await page.route('**/health', async (route) => {
      await route.fulfill({ json: { ...(await (await route.fetch()).json()), tip_height: 909_000 } })
    })
    try {
      await page.goto(`${tiered.url}/workbench?range=4y`)
      await page.getByText(`60 of ${chainDays} days.`).waitFor()
      const disabled = page.locator('.ranges button:disabled')
      expect(await disabled.allTextContents()).toEqual(['3m', '6m', 'YTD', '1y', '2y', '4y', 'Cycle'])
      expect(await page.locator('.ranges [aria-pressed=true]').allTextContents()).toEqual(['All'])
      await page.locator('.axis-handle').first().waitFor()
      await page.keyboard.press('7')
      await page.keyboard.press('1')
      await page.waitForURL('**range=1m')
      await expect.poll(() => page.getByLabel('From', { exact: true }).inputValue()).toBe(isoDate(lastDay - 29))
      await page.getByLabel('From', { exact: true }).fill('2009-06-01')
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`from=${isoDate(lastDay - 59)}`))
    } finally {
      await page.unroute('**/health')
      await tiered.close()
    }
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

  test('a finger drags an axis', async () => {
    await open('/metrics/mvrv?price=off')
    const before = await highest('auto:ratio')
    const box = (await handle('MVRV').boundingBox())!
    const touch = (kind: 'touchStart' | 'touchMove' | 'touchEnd', ...ys: readonly number[]) =>
      tools.send('Input.dispatchTouchEvent', {
        type: kind,
        touchPoints: ys.map((y) => ({ x: box.x + 10, y: box.y + y * box.height })),
      })
    await touch('touchStart', 0.1)
    for (const y of [0.2, 0.3, 0.4, 0.5]) await touch('touchMove', y)
    await touch('touchEnd')
    await page.waitForURL(/y=/)
    await expect.poll(() => highest('auto:ratio')).toBeGreaterThan(1.4 * before)
  })

  test('the ends of an axis are typed by keyboard, and what cannot be shown is refused with a reason', async () => {
    await open('/workbench?metrics=price,drawdown&scale=log')
    await handle('Drawdown').focus()
    await page.keyboard.press('Enter')
    // A fraction on an axis in percent.
    await setEnds('0 %', '−40')
    await page.waitForURL(/y=/)
    expect(yOf()).toBe('-0.4,0,auto:ratio')
    await expect.poll(() => lowest('auto:ratio')).toBe(-40)
    await handle('Price (USD)').click()
    await setEnds('0.001k', '10')
    await page.getByRole('alert').getByText('The lower end must be below the upper end.').waitFor()
    await setEnds('5', '0')
    await page.getByRole('alert').getByText('This axis shows only values above zero.').waitFor()
    await setEnds('5', '0,5')
    await page
      .getByRole('alert')
      .getByText(/^Write numbers such as/)
      .waitFor()
    expect(await findings()).toEqual([])
    await setEnds('', '0.5')
    await expect.poll(yOf).toBe('-0.4,0,auto:ratio;0.5,,auto:USD per coin')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    await expect.poll(() => lowest('auto:USD per coin')).toBe(0.5)
    await expect.poll(() => lowest('auto:ratio')).toBe(-40)
    await handle('Drawdown').click()
    await button('Automatic').click()
    await expect.poll(yOf).toBe('0.5,,auto:USD per coin')
    // A range that a logarithmic axis cannot have follows the data there.
    await open('/workbench?metrics=price&scale=log&y=-5,3,auto:USD+per+coin')
    expect(await lowest('auto:USD per coin')).toBeGreaterThan(0)
    await open('/workbench?metrics=price&y=3,1,auto:USD+per+coin;x,1,a;1;,,b')
    expect(await button('Reset axes').count()).toBe(0)
  })

  test.each([
    ['a formula', '/workbench?metrics=price/1000000', '0.000012', '0.000001', 'auto:USD per coin', 0.000012],
    ['sats', '/workbench?metrics=circulating_supply*100000000', '2,100,000,000,000,000', '0', 'auto:BTC', 500],
    ['a heatmap', '/metrics/cost_basis_distribution', '4', '2', 'heatmap', 4],
    ['cycles', '/cycles?of=mvrv', '5', '0.5', 'cycles', 5],
  ])('the range of %s is typed', async (_, path, upper, lower, id, top) => {
    await open(path)
    await page.locator('.axis-handle').first().click()
    await setEnds(upper, lower)
    await expect.poll(() => highest(id)).toBeCloseTo(top, 7)
  })

  test('a chart that is shared keeps the ends of its axes, which its readers can undo', async () => {
    const metrics = [
      { id: 'mvrv', stacked: true, style: 'area' as const },
      { id: 'price', stacked: false },
    ]
    await open(`/chart/${await packChart({ title: 'A chart', metrics, stacked: 'percent' })}`)
    await page.locator('.axis-handle').first().click()
    await setEnds('80', '20')
    await handle('Price').click()
    await page.waitForURL(/y=/)
    await setEnds('4', '')
    await page.waitForURL(/y=.*USD/)
    await settle()
    const drawn = [await ticks('auto:%'), await ticks('auto:USD per coin')]
    expect([await highest('auto:%'), await lowest('auto:%'), await highest('auto:USD per coin')]).toEqual([80, 20, 4])
    await button('Save or share').click()
    const embed = await page.locator('.snippet', { hasText: 'iframe' }).locator('code, pre').first().innerText()
    const [, address = ''] = /src="([^"?]+)/.exec(embed) ?? []
    await page.goto(address)
    await expect.poll(async () => [await ticks('auto:%'), await ticks('auto:USD per coin')]).toEqual(drawn)
    // The API draws the same, and refuses nothing.
    const shared = address.replace('/embed/', '/chart/')
    await open(shared)
    await expect.poll(() => ticks('auto:%')).toEqual(drawn[0])
    await button('Reset axes').click()
    await page.waitForURL(/y=$/)
    await expect.poll(() => highest('auto:%')).toBe(100)
    await page.reload()
    await expect.poll(() => highest('auto:%')).toBe(100)
    await page.goto(address)
    await page.locator('.axis-handle').first().click()
    await button('Automatic').click()
    await expect.poll(() => highest('auto:%')).toBe(100)
  })

  test('a drag selects whole weeks, and days of a heatmap', async () => {
    await open(
      `/chart/${await packChart({ title: 'Weeks', metric: 'blocks_mined', interval: 'week', scale: 'log', range: 'all' })}`,
    )
    await dragChart(400, 700)
    await page.waitForURL(/from=/)
    // Weeks end on Sundays, and the last is as complete as it was.
    expect((await shownDays()).map((day) => new Date(day * 86_400_000).getUTCDay())).toEqual([0, 0])
    await open('/metrics/cost_basis_distribution')
    const all = await shownDays()
    await dragChart(400, 700)
    await page.waitForURL(/from=/)
    await expect
      .poll(async () => (await shownDays()).reduce((from, to) => to - from))
      .toBeLessThan((all[1]! - all[0]!) / 2)
  })

  test('a finger reads in the plot and moves the days where they are written', async () => {
    await open('/metrics/mvrv?from=2009-08-01&to=2009-12-01')
    const { x, y, height } = await chartBox()
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', down: number, ...xs: readonly number[]) =>
      tools.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((one) => ({ x: x + one, y: y + down })) })
    const swipe = async (down: number) => {
      await touch('touchStart', down, 600)
      for (const to of [650, 700, 750, 800]) await touch('touchMove', down, to)
      await touch('touchEnd', down)
    }
    await touch('touchStart', 150, 600)
    await touch('touchEnd', 150)
    await page.locator('.reading').waitFor()
    await swipe(150)
    await page.locator('.reading').waitFor()
    expect(address()).toContain('from=2009-08-01')
    await swipe(height - 12)
    await page.waitForURL(/from=2009-0[67]/)
  })

  test('the first turn of the wheel says how to zoom, later ones do not', async () => {
    await page.evaluate(() => localStorage.clear())
    await open('/metrics/mvrv')
    const { x, y } = await chartBox()
    await page.mouse.move(x + 400, y + 150)
    await page.mouse.wheel(0, 30)
    await page.mouse.wheel(0, 30)
    await page.getByText(/^Ctrl and the wheel zoom\./).waitFor()
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0)
    expect(await findings(['color-contrast'])).toEqual([])
    await page.getByText(/^Ctrl and the wheel zoom\./).waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('.axis-handle').first().waitFor()
    await page.mouse.wheel(0, -30)
    await page.waitForTimeout(300)
    expect(await page.getByText(/^Ctrl and the wheel zoom\./).count()).toBe(0)
    // In a frame of another site there is no storage.
    await open('/metrics/mvrv')
  })

  test('the workbench that a metric opens shows the same days and ranges of its axes', async () => {
    await open('/metrics/mvrv?from=2009-08-01&to=2009-12-01&scale=log&y=0.5,2,auto:ratio;1,4,price_overlay')
    const days = await shownDays()
    const drawn = [await ticks('auto:ratio'), (await ticks('price_overlay')).length]
    expect([await lowest('auto:ratio'), await highest('price_overlay')]).toEqual([0.5, 4])
    await page.getByRole('link', { name: 'Open in the workbench' }).click()
    await page.waitForURL(/workbench/)
    await expect.poll(() => ticks('auto:ratio')).toEqual(drawn[0])
    expect([await lowest('auto:USD per coin'), await highest('auto:USD per coin')]).toEqual([1, 4])
    expect(await shownDays()).toEqual(days)
    await open('/metrics/mvrv?range=6m')
    await page.getByRole('link', { name: 'Open in the workbench' }).click()
    await page.waitForURL('/workbench?range=6m&metrics=mvrv%2Cprice')
    await expect.poll(async () => (await shownDays())[0]).toBe(lastDay - 181)
  })
})
