import { expect } from 'vitest'
import { type AnyPage, openWithoutJumps, scrollThrough } from './every-page.ts'
import { complaints, findings, overflow, page } from './opened.ts'

/** Cards, a list, a chart, tables, a form, and a part of other sites' pages. */
export const ofEachKind: readonly AnyPage[] = ['today', 'metrics', 'metric', 'markets', 'account', 'embed']

const hasChart: ReadonlySet<AnyPage> = new Set([
  'today',
  'workbench',
  'metric',
  'cohorts',
  'mining',
  'addresses',
  'markets',
  'alerts',
  'signals',
  'chart',
  'embed',
])

/** Scripts that the page loaded up to its first chart, and their compressed sizes. */
async function readScripts(): Promise<{ readonly file: string; readonly size: number }[]> {
  const scripts = await page.evaluate(() => window.early ?? window.readScripts?.() ?? [])
  return Promise.all(
    scripts.map(async (url) => {
      const { headers } = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
      expect(headers.get('content-encoding')).toBe('gzip')
      return { file: url.replace(/.*\//, ''), size: Number(headers.get('content-length')) }
    }),
  )
}

/**
 * Visits a page once: it does not jump while it loads, needs little script to its first chart, fits
 * its window and can be read.
 */
export async function expectSound(name: AnyPage): Promise<void> {
  complaints.length = 0
  await openWithoutJumps(name)
  if (hasChart.has(name)) await page.locator('.picture > svg').first().waitFor()
  const scripts = await readScripts()
  expect(scripts.length).toBeGreaterThan(2)
  const total = scripts.reduce((sum, { size }) => sum + size, 0)
  expect(total, scripts.map(({ file, size }) => `${file} ${size}`).join(', ')).toBeLessThan(80_000)
  await scrollThrough(name)
  await expect.poll(overflow, { timeout: 10_000, message: 'pixels too wide' }).toBeLessThanOrEqual(0)
  await page.waitForLoadState('networkidle')
  // All charts were drawn; three of each family are enough for axe, which takes seconds for all.
  await page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLElement>('.chart-list li:nth-child(n + 4)'))
      one.style.display = 'none'
  })
  expect(await findings()).toEqual([])
  expect(complaints).toEqual([])
}
