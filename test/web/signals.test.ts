import { describe, expect, test } from 'vitest'
import { parseFormula } from '#sql/formula/parse.ts'
import { browser } from '#test/support/browser.ts'
import { toFormula } from '#web/pages/alerts/condition-formula.ts'
import { rowsOf } from './support/chart-controls.ts'
import { open, openPages, page } from './support/opened.ts'

test.each([
  [{ kind: 'above', value: 1 }, '(mvrv) > 1'],
  [{ kind: 'below', value: -2 }, '(mvrv) < -2'],
  [{ kind: 'outside', low: 1, high: 3 }, '(mvrv) < 1 or (mvrv) > 3'],
  [{ kind: 'change', percent: 20, days: 7 }, 'abs(percent_change(mvrv, 7)) > 20'],
  [{ kind: 'change', percent: 20, days: 7, direction: 'rise' }, 'percent_change(mvrv, 7) > 20'],
  [{ kind: 'change', percent: 20, days: 7, direction: 'fall' }, 'percent_change(mvrv, 7) < -20'],
  [{ kind: 'all_time_high' }, '(mvrv) > shift(cummax(mvrv), 1)'],
  [{ kind: 'percentile', percentile: 90 }, 'percentile(mvrv) > 90'],
] as const)('the condition %j of an alert is the formula %s', (condition, formula) => {
  expect(toFormula('mvrv', condition)).toBe(formula)
  expect(() => parseFormula(formula)).not.toThrow()
})

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test('signals say how often a condition was true and what followed, beside all days', async () => {
    await open('/alerts?watch=mvrv')
    await page.getByLabel('Level', { exact: true }).fill('2')
    await page.getByText('sends no mail until its operator sets MAIL_URL and ALERTS_TO.').waitFor()
    await page.getByRole('link', { name: 'How often was it so, and what followed?' }).click()
    await page.getByRole('heading', { name: 'Signals', level: 1 }).waitFor()
    await page.locator('main .table tbody tr').nth(5).waitFor()
    // Counted here by hand from the values that the API serves.
    const rows = (await rowsOf('series?metrics=price,mvrv&limit=10000')).toReversed()
    const truth = rows.map(({ mvrv }) => (mvrv === null ? undefined : Number(mvrv) > 2))
    const known = truth.filter((one) => one !== undefined)
    const begins = truth.flatMap((one, i) =>
      one && !truth.slice(0, i).findLast((past) => past !== undefined) ? [i] : [],
    )
    const said = await page.locator('main p[role=status] b').textContent()
    expect(said).toContain(`True on ${known.filter(Boolean).length} of ${known.length} days`)
    expect(said).toContain(`in ${begins.length} intervals`)
    const after = begins.flatMap((i) => (rows[i + 30] ? [100 * (rows[i + 30]!.price! / rows[i]!.price! - 1)] : []))
    const cells = await page.locator('main .table tbody tr').first().locator('td').allTextContents()
    expect(cells[0]).toBe(String(after.length))
    expect(Number(cells[3]!.replace('−', '-').replace(/[+ %]/g, ''))).toBeCloseTo(Math.min(...after), 1)
    await page.getByText(/too few to tell/).waitFor()
    expect(await page.getByText(/You have tried/).count()).toBe(0)
    const field = page.getByRole('combobox', { name: 'Condition' })
    await field.fill('mvrv < 1.5')
    await field.press('Enter')
    await page.getByText('You have tried 2 conditions').waitFor()
    await field.fill('mvrv')
    await field.press('Enter')
    await page.getByRole('alert').getByText('A condition compares numbers').waitFor()
    expect(await page.locator('main .table').count()).toBe(0)
    await field.fill('mvrv < 1.5')
    await field.press('Enter')
    await page.getByRole('link', { name: 'Alert when it turns true' }).click()
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Metric or formula' }).inputValue()).toBe('mvrv < 1.5')
    expect(await page.getByLabel('Level', { exact: true }).inputValue()).toBe('0.5')
  })
})
