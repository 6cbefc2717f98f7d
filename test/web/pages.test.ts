import { beforeAll, describe, expect, test } from 'vitest'
import { pages } from '#contract/pages.ts'
import { browser } from '#test/support/browser.ts'
import { openWithoutJumps, recordLoading } from './support/every-page.ts'
import { complaints, findings, open, openPages, overflow, page, unreachable } from './support/opened.ts'
import { expectSound, ofEachKind } from './support/sound-page.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages()
  beforeAll(() => recordLoading())

  // One page of each kind. All others, other sizes, the dark theme and keys are in
  // pages.extended.test.ts.
  test.each(ofEachKind)(
    'the page %s does not jump while it loads, needs at most 80 kB of script to its first chart, compressed, fits and can be read',
    expectSound,
  )

  test('a page does not jump when its font arrives late', async () => {
    await page.route('**/*.woff2', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await route.continue()
    })
    await page.setViewportSize({ width: 390, height: 844 })
    await openWithoutJumps('cycles')
    expect(await page.evaluate(() => document.fonts.check('600 12px Inter'))).toBe(true)
  })

  test('a table is sorted by its heads, with keys, and says so in the address', async () => {
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
    await open(pages.status)
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
