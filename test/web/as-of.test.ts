import { describe, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { browser } from '#test/support/browser.ts'
import { button } from './support/chart-controls.ts'
import { open, openPages, page, server } from './support/opened.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test.each(['/metrics/mvrv', '/workbench?metrics=mvrv'])(
    'the chart of %s is shown as seen on a day, which its address, requests and pictures say',
    async (address) => {
      await open(address)
      const today = isoDate(Math.floor(Date.now() / 86_400_000))
      await page.getByLabel('As seen on').focus()
      const { generations } = await (await fetch(`${server.url}/v1/status`)).json()
      const first = generations.at(-1).at.slice(0, 10)
      await page.getByText(`Known from ${first} on`).waitFor()
      expect(await page.getByLabel('As seen on').getAttribute('min')).toBe(first)
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.getByLabel('As seen on').fill(today)
      expect((await answered).request().postDataJSON()).toMatchObject({ as_of: `${today}T23:59:59.999Z` })
      await page.waitForURL(new RegExp(`as_of=${today}`))
      await page.reload()
      await page
        .getByText(/^As seen on \d+ \w+ \d{4}/)
        .first()
        .waitFor()
      await page.locator('.picture > svg').waitFor()
      await button('Save or share').click()
      expect(await page.getByLabel('Subtitle').inputValue()).toMatch(/^As seen on \d+ \w+ \d{4}/)
      await button('Close').click()
      await page.getByLabel('As seen on').fill('2009-01-10')
      await page.getByRole('alert').getByText('Nothing that was published by that day is kept').waitFor()
      await page
        .getByRole('alert')
        .getByText(/^Choose \d{4}-\d\d-\d\d or a later day\.$/)
        .waitFor()
      await page.locator('.chart .box.empty').waitFor({ state: 'attached' })
      expect((await page.locator('.chart .box').boundingBox())?.height).toBe(0)
      await page.getByLabel('As seen on').fill('')
      await page.waitForURL((url) => !url.searchParams.has('as_of'))
      await page.getByRole('alert').waitFor({ state: 'detached' })
      await page.locator('.chart .box:not(.empty) .picture > svg').waitFor()
    },
  )
})
