import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay, secondsPerDay } from '#base/days.ts'
import { pages } from '#contract/pages.ts'
import type { WalletReport } from '#contract/wallets.ts'
import { writeIntact } from '#sql/intact-file.ts'
import { walletFolder, walletsFolder } from '#state/wallet-reports.ts'
import { browser } from '#test/support/browser.ts'
import { rulesOfColours } from './support/every-page.ts'
import {
  chain,
  complaints,
  findings,
  open,
  openPages,
  overflow,
  page,
  smallControls,
  unreachable,
} from './support/opened.ts'

const days = Array.from({ length: 400 }, (_, day) => 20_000 + 40 * day)
const report: WalletReport = {
  ...{ name: 'savings', way: 'unspent', method: 'output', tip_height: 800_000, date: '2026-11-29' },
  figures: [
    { name: 'Balance', unit: 'BTC', mine: 1.234_567_89, market: [] },
    { name: 'Value', unit: 'USD', mine: 87_654.32, market: [] },
    { name: 'Average cost, as the chain shows', unit: 'USD per BTC', mine: 23_456, market: [34_567, 45_678, null] },
    { name: 'Addresses with as much or more, at most', unit: 'count', mine: 950_123, market: [] },
    { name: 'MVRV', unit: 'ratio', mine: null, market: [1.25, 1.5, 0.75] },
    { name: 'Mean age since moved', unit: 'days', mine: 123.45, market: [] },
    { name: 'The same money each week', unit: 'BTC', mine: 1_820.189_011_98, market: [] },
  ],
  lots: [
    [(parseDay('2026-11-01') + 0.5) * secondsPerDay, 30_000, 0.5e8],
    [parseDay('2026-10-01') * secondsPerDay, 40_000, 0.25e8],
    ...Array.from(
      { length: 98 },
      (_, i) => [(parseDay('2026-09-30') - 9 * i) * secondsPerDay, 100 + i, 1e8 + i] as const,
    ),
  ],
  older_lots: 12_345,
  lines: {
    ...{ value: days, cost: days.map((value) => value / 2), price: days },
    ...{ average_cost: days.map((value, day) => (day < 9 ? null : value / 3)), realized_price: days },
    ...{ acquired: days.map((value, day) => (day % 90 === 9 ? value : null)), sent: days.map(() => null) },
  },
}

const { lots, older_lots, ...older } = report
const { acquired, sent, ...lines } = report.lines

describe.skipIf(!browser)('in a real browser', () => {
  openPages()
  beforeAll(() => {
    for (const written of [report, { ...older, lines, name: 'written-by-an-earlier-version' }]) {
      const folder = walletFolder(chain.dataDir, written.name)
      mkdirSync(folder, { recursive: true })
      writeIntact(path.join(folder, 'report'), [Buffer.from(JSON.stringify(written))])
    }
  })
  afterAll(() => rmSync(walletsFolder(chain.dataDir), { recursive: true, force: true }))

  const wallet = () => page.locator('.wallet', { hasText: report.name })
  const cells = async (name: string): Promise<string[]> => {
    const texts = await wallet().getByRole('region', { name }).locator('tbody').locator('th, td').allInnerTexts()
    return texts.map((text) => text.replaceAll('\u00a0', ' '))
  }

  test('a wallet stands beside the market, and a button hides amounts', async () => {
    complaints.length = 0
    await open(pages.wallets)
    const shown = await cells('and the market')
    expect(shown.slice(0, 3)).toEqual(['Balance', '1.23456789 BTC', ''])
    expect(shown).toEqual(expect.arrayContaining(['$87,654', '$23,456', '$34,567', 'not known', '0.75', '123.5 days']))
    expect(await wallet().innerText()).toContain('only coins that are unspent now')
    expect(await wallet().locator('.wallet-lines svg').count()).toBe(2)
    await page.getByRole('button', { name: 'Hide amounts' }).click()
    await expect.poll(() => wallet().locator('.wallet-lines svg').count()).toBe(1)
    const text = await page.locator('main').innerText()
    // Nor the number of addresses with as much, which reveals the amount.
    expect(text).not.toMatch(/1\.2345|87,654|950,123/)
    expect(text).toContain('$23,456')
    expect(complaints).toEqual([])
    // Nothing of it stays in the browser.
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      'savings',
    )
  })

  test('what is held has a row for each lot, whose amounts are hidden, too', async () => {
    complaints.length = 0
    await open(pages.wallets)
    const shown = await cells('holds')
    // The price is $35,960.
    expect(shown.slice(0, 14)).toEqual([
      ...['2026-11-01', '28.5 days', '0.50000000 BTC', '$30,000', '$15,000', '$17,980', '$2,980'],
      ...['2026-10-01', '60.0 days', '0.25000000 BTC', '$40,000', '$10,000', '$8,990', '−$1,010'],
    ])
    expect(shown).toHaveLength(100 * 7)
    expect(await wallet().innerText()).toContain('12,345 older ones are not shown')
    await page.getByRole('button', { name: 'Hide amounts' }).click()
    await expect
      .poll(async () => (await cells('holds')).slice(0, 7))
      .toEqual(['2026-11-01', '28.5 days', '***', '$30,000', '***', '***', '***'])
    const earlier = page.locator('.wallet', { hasText: 'written-by-an-earlier-version' })
    expect(await earlier.getByRole('table').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  test('it fits a desk and a phone, and can be read in both themes', async () => {
    await open(pages.wallets)
    expect(await unreachable(), 'by keyboard').toEqual([])
    for (const [width, height] of [
      [1366, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      expect(await overflow()).toBeLessThanOrEqual(0)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await findings(colorScheme === 'dark' ? rulesOfColours : undefined), `${colorScheme}, ${width}`).toEqual(
          [],
        )
      }
      if (width > 500) continue
      expect(await smallControls()).toEqual([])
      // The column of the wallet needs no scrolling.
      const cell = (await page.locator('.wallet td').first().boundingBox())!
      expect(cell.x + cell.width).toBeLessThan(width - 16)
    }
  })
})
