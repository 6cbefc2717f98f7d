import { describe, expect, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { packChart } from '#web/chart/chart-body.ts'
import { button } from './support/chart-controls.ts'
import { open, openPages, page } from './support/opened.ts'

const alert = () => page.getByRole('alert')
const picture = () => page.locator('.picture > svg')

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test.each(['series', 'metrics'])(
    'when answers of %s do not come, a page says so, and goes on at a click',
    async (endpoint) => {
      let isAnswering = false
      await page.route(new RegExp(`/v1/${endpoint}`), (route) => (isAnswering ? route.continue() : undefined))
      await page.goto('/metrics/mvrv')
      await page.locator('main h1').waitFor()
      await page.locator('.slow').getByText('the service has not answered yet').waitFor({ timeout: 10_000 })
      isAnswering = true
      await button('Try again').click()
      await picture().waitFor()
      expect(await page.locator('.slow').count()).toBe(0)
    },
  )

  test('a series that fails says so within seconds', async () => {
    const json = { success: false, error: { code: 'internal', message: 'something broke' } }
    await page.route('**/v1/series**', (route) => route.fulfill({ status: 500, json }))
    await open('/')
    const start = performance.now()
    await page.goto('/metrics/mvrv')
    await alert().getByText('Something broke').waitFor({ timeout: 4_000 })
    expect(performance.now() - start).toBeLessThan(4_000)
  })

  test('an offline page says so, and goes on by itself', async () => {
    await open('/workbench?metrics=mvrv')
    await page.context().setOffline(true)
    const notices = page.locator('.notices [role=status]')
    await notices.getByText('You are offline').waitFor()
    const field = page.getByRole('combobox', { name: 'Add a metric or formula' })
    await field.fill('realized_cap')
    await field.press('Enter')
    await alert().getByText('You are offline').waitFor()
    await page.context().setOffline(false)
    await page.locator('.picture text', { hasText: 'Realized cap' }).first().waitFor()
    expect(await alert().count()).toBe(0)
    await notices.waitFor({ state: 'hidden' })
  })

  test('hours that do not exist say why', async () => {
    await page.goto(`/chart/${await packChart({ metrics: ['mvrv'], interval: 'hour' })}`)
    await alert().getByText('There are no hours or blocks of these days').waitFor()
    await alert()
      .getByText(/follow its node/)
      .waitFor()
    await page.goto(`/chart/${await packChart({ metrics: ['hash_rate_1d'], interval: 'hour' })}`)
    await alert().getByText('Not every one of these series has hours or blocks').waitFor()
  })

  test('refusals are in words of the page', async () => {
    await page.goto('/workbench?metrics=price,mvrv,hash_rate_1d,tx_count,drawdown,fees,block_count')
    await alert().getByText('more units than a chart has axes').waitFor()
    expect(await alert().textContent()).not.toMatch(/y_axis_id|GET|parameter/)
  })
})
