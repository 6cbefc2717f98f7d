import { describe, expect, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { button } from './support/chart-controls.ts'
import { findings, open, openPages, page, server } from './support/opened.ts'
import { add, expectUndone, inAddress, series } from './support/workbench-steps.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test.each([
    ['Meta+z', 'Meta+Shift+Z'],
    ['Control+z', 'Control+y'],
    ['Control+Z', 'Control+Y'],
  ])('%s undoes the steps of the workbench one by one, and %s does them again', expectUndone)

  test('a text field undoes its own typing, and the workbench what was entered', async () => {
    await open('/workbench?metrics=mvrv')
    await add('price')
    const field = page.getByRole('combobox', { name: 'Series 2' })
    await field.press('End')
    await page.keyboard.type(' + 1')
    await page.keyboard.press('Control+z')
    expect(await field.inputValue()).not.toBe('price + 1')
    await series('mvrv', await field.inputValue())
    await field.fill('price * 2')
    await page.keyboard.press('Enter')
    await expect.poll(inAddress).toEqual(['mvrv', 'price * 2'])
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await page.keyboard.press('Control+z')
    // The browser by itself would only change the text of the field.
    await expect.poll(inAddress).toEqual(['mvrv', 'price'])
    await series('mvrv', 'price')
    // Behind a dialog nothing changes.
    await button('Save or share').click()
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Escape')
    await series('mvrv', 'price')
  })

  test('the history of the browser is another one: back leads back, and what it changes can be undone', async () => {
    const view = 'from=2009-07-01&to=2009-12-01&scale=log'
    await open(`/metrics/mvrv?${view}&price=off`)
    await page.getByRole('link', { name: 'Open in the workbench' }).click()
    await series('mvrv')
    expect(page.url()).toBe(`${server.url}/workbench?${view}&metrics=mvrv`)
    await add('price')
    await add('nupl')
    await add('sopr')
    await page.goBack()
    await series('mvrv', 'price', 'nupl')
    await page.keyboard.press('Control+z')
    await series('mvrv', 'price', 'nupl', 'sopr')
    // Steps taken faster than they are drawn and written.
    await page.evaluate(() => {
      for (let i = 0; i < 3; i++) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true }))
      }
    })
    await series('mvrv')
    await expect.poll(inAddress).toEqual(['mvrv'])
    await page.reload()
    await series('mvrv')
    expect(await button('Undo').isDisabled()).toBe(true)
  })

  test('the last series can be removed and comes back, also on keyboards of another script', async () => {
    await open('/workbench?metrics=mvrv')
    await page.getByRole('button', { name: 'Remove MVRV' }).click()
    await page.getByText('Nothing to show yet').waitFor()
    await page.evaluate(() => {
      const pressed = { key: 'я', code: 'KeyZ', ctrlKey: true, bubbles: true, cancelable: true }
      document.body.dispatchEvent(new KeyboardEvent('keydown', pressed))
    })
    await series('mvrv')
    await page.getByRole('button', { name: 'Remove MVRV' }).click()
    await page.getByText('Nothing to show yet').waitFor()
    expect(await findings()).toEqual([])
    await button('Undo').click()
    await series('mvrv')
    await page.locator('.picture > svg').waitFor()
  })

  test('a truncated address is replaced even by the chart that is there', async () => {
    await open('/workbench?metrics=mvrv')
    await add('price')
    await page.evaluate(() => {
      history.pushState(null, '', '/workbench?c=cut')
      dispatchEvent(new PopStateEvent('popstate'))
    })
    await button('Start another chart').click()
    await expect.poll(inAddress).toEqual(['mvrv', 'price'])
    await page.getByText('This address contains no chart').waitFor({ state: 'detached' })
    expect(page.url()).toContain(server.url)
  })
})
