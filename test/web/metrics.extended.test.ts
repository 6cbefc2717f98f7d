import { describe, expect, test } from 'vitest'
import { serve } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { chain, findings, open, openPages, page, server } from './support/opened.ts'

const rows = () => page.locator('.results tbody tr[aria-rowindex]')
const names = () => page.locator('.results tbody .name').allTextContents()
const focusedRow = () =>
  page.evaluate(() => Number(document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')))

interface Values {
  readonly [id: string]: number | null
}

/** The newest values of all metrics, or those on a date. */
async function readValues(query = ''): Promise<Values> {
  const { data } = await (await fetch(`${server.url}/v1/metrics/latest?cohorts=true${query}`)).json()
  return Object.assign({}, ...data.map(({ category: _, date: __, ...values }: Values) => values))
}

describe.skipIf(!browser)('the list of metrics in a real browser', () => {
  openPages()

  test('has a row for every metric, of which those near the window are in the page, with their lines', async () => {
    await open('/metrics')
    const { data } = await (await fetch(`${server.url}/v1/metrics?variants=all`)).json()
    expect(await page.locator('.results table').getAttribute('aria-rowcount')).toBe(String(data.length + 1))
    expect(await page.getByText(`${data.length.toLocaleString('en-US')} metrics`).count()).toBe(1)
    expect(await page.getByRole('button', { name: /more$/ }).count()).toBe(0)
    expect(await rows().count()).toBeLessThanOrEqual(100)
    expect(await findings()).toEqual([])
    await page.mouse.move(700, 500)
    await page.mouse.wheel(0, 30_000)
    await expect.poll(async () => Number(await rows().nth(20).getAttribute('aria-rowindex'))).toBeGreaterThan(400)
    const line = rows().filter({ visible: true }).nth(20).locator('.sparkline path')
    await line.waitFor({ state: 'attached' })
    await page.keyboard.press('End')
    await expect.poll(() => rows().last().getAttribute('aria-rowindex')).toBe(String(data.length + 1))
    expect(await rows().count()).toBeLessThanOrEqual(100)
  })

  test('is left by a button before it, without passing through all rows', async () => {
    await open('/metrics')
    await page.getByRole('button', { name: 'Skip the list' }).press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('footer') !== null)).toBe(true)
  })

  test('is read by keys, also after it was scrolled away', async () => {
    await open('/metrics')
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    expect(await focusedRow()).toBe(2)
    for (let i = 0; i < 80; i++) await page.keyboard.press('Tab')
    expect(await focusedRow()).toBe(82)
    await page.mouse.move(700, 500)
    await page.mouse.wheel(0, 60_000)
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(50_000)
    await page.waitForTimeout(300)
    expect(await focusedRow()).toBe(82)
    await page.keyboard.press('Tab')
    expect(await focusedRow()).toBe(83)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    expect(await focusedRow()).toBe(81)
    const name = await page.evaluate(() => document.activeElement?.querySelector('.name')?.textContent)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: name ?? '', level: 1, exact: true }).waitFor()
  })

  test('is sorted by value and by change, with single cohorts, and a search leads back to the best first', async () => {
    const { data } = await (await fetch(`${server.url}/v1/metrics?variants=all`)).json()
    const nameById = new Map<string, string>(data.map(({ id, name }: { id: string; name: string }) => [id, name]))
    const [last] = (await (await fetch(`${server.url}/v1/metrics/latest`)).json()).data
    const weekBefore = new Date(Date.parse(last.date) - 7 * 86_400_000).toISOString().slice(0, 10)
    const [now, before] = await Promise.all([readValues(), readValues(`&end_date=${weekBefore}`)])
    const greatest = (values: readonly (readonly [id: string, value: number])[]) =>
      values
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, 5)
        .map(([, value]) => value)
    const values = Object.entries(now).flatMap(([id, value]) => (value === null ? [] : [[id, value] as const]))
    const changes = values.flatMap(([id, value]) =>
      value >= 0 && (before[id] ?? 0) > 0 ? [[id, value / before[id]!] as const] : [],
    )
    const [byValue, byChange] = [greatest(values), greatest(changes)]
    // Cohorts with the same coins have the same value.
    const shown = async (of: readonly (readonly [id: string, value: number])[]) => {
      const byName = new Map(of.map(([id, value]) => [nameById.get(id), value]))
      return (await names()).slice(0, 5).map((name) => byName.get(name))
    }
    await open('/metrics')
    const head = (name: string) => page.locator('.results').getByRole('button', { name })
    await head('Value').click()
    await expect.poll(() => shown(values)).toEqual(byValue)
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-value')
    await head('7 days').press('Enter')
    await expect.poll(() => shown(changes)).toEqual(byChange)
    expect(await page.locator('[aria-sort=descending]').innerText()).toMatch(/^7 days/)
    await head('7 days').press('Enter')
    await expect.poll(async () => (await shown(changes))[0]).not.toBe(byChange[0])
    await head('7 days').press('Enter')
    await expect.poll(async () => (await names())[0]).toBe('Price')
    expect(await page.locator('[aria-sort]').count()).toBe(0)
    await head('Value').click()
    await page.getByRole('searchbox').fill('mvrv')
    await expect.poll(async () => (await names())[0]).toBe('MVRV')
    expect(new URL(page.url()).searchParams.get('sort')).toBe(null)
  })

  test('a visitor without a key flicks through hundreds of rows without being refused', async () => {
    const tiered = await serve(chain.dataDir)
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 429) refused.push(response.url())
    })
    try {
      await page.goto(`${tiered.url}/metrics`)
      await rows().first().waitFor()
      await page.mouse.move(700, 500)
      for (let i = 0; i < 100; i++) {
        await page.mouse.wheel(0, 180)
        if (i % 10 === 0) await page.waitForTimeout(200)
      }
      await expect.poll(() => rows().locator('.sparkline path').count()).toBeGreaterThan(10)
      expect(refused).toEqual([])
    } finally {
      await tiered.close()
    }
  })

  test('a visitor without a key flicks through the pages of 200 metrics without being refused', async () => {
    const tiered = await serve(chain.dataDir)
    const answers: { readonly url: URL; readonly status: number }[] = []
    page.on('response', (response) => answers.push({ url: new URL(response.url()), status: response.status() }))
    try {
      const { data } = await (await fetch(`${server.url}/v1/metrics?variants=all&fields=grade,related`)).json()
      const open = data.filter((one: { readonly grade: number }) => one.grade === 0).slice(0, 200)
      expect(open.length).toBe(200)
      await page.goto(`${tiered.url}/metrics/${open[0].id}`)
      await page.locator('.picture > svg').waitFor()
      answers.length = 0
      for (const { id } of open) {
        await page.evaluate((to) => {
          history.pushState(null, '', to)
          dispatchEvent(new PopStateEvent('popstate'))
        }, `/metrics/${id}`)
        await page.waitForTimeout(30)
      }
      const last = open.at(-1)
      await page.getByRole('figure', { name: last.name, exact: true }).locator('.picture > svg').waitFor()
      await expect.poll(() => page.locator('.now .value').innerText()).toMatch(/\d/)
      expect(await page.getByRole('alert').count()).toBe(0)
      expect(answers.filter(({ status }) => status === 429)).toEqual([])
      // A page asks once for the standings of its metric and of all related ones.
      const asked = answers.filter(({ url }) => url.pathname === '/v1/metrics/percentiles')
      const pages = asked.map(({ url }) => url.searchParams.get('metrics')?.split(',')[0])
      expect(new Set(pages).size).toBe(pages.length)
      expect(pages).toContain(last.id)
    } finally {
      await tiered.close()
    }
  })
})
