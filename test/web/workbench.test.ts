import { describe, expect, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { address, button, handle, readState } from './support/chart-controls.ts'
import { complaints, open, openPages, page } from './support/opened.ts'
import { add, series } from './support/workbench-steps.ts'

const inPicture = (text: string) => page.locator('.picture text', { hasText: text }).first().waitFor()

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test('formulas of the workbench name the lines above them, also hidden ones', async () => {
    await open('/workbench?metrics=price,mvrv')
    await add('m1 / m2')
    await add('zscore(f1, 30)')
    await inPicture('zscore(f1, 30)')
    await button('Shown').first().click()
    await page
      .locator('.picture text', { hasText: /^Price/ })
      .first()
      .waitFor({ state: 'detached' })
    await inPicture('m1 / m2')
    const alert = page.getByRole('link', { name: /^Alert on m1/ })
    expect(new URL((await alert.getAttribute('href'))!, page.url()).searchParams.get('watch')).toBe('(price) / (mvrv)')
    await page.getByRole('combobox', { name: 'Series 3' }).fill('f2 / m2')
    await page.getByText("There is no metric 'f2'").waitFor()
    await page.getByRole('combobox', { name: 'Series 3' }).fill('m1 / m2')
    await button('Remove Price').click()
    await series('mvrv', '(price) / m1', 'zscore(f1, 30)')
  })

  test('a chart of the workbench has a title, notes at dates, candles and a scale for each axis, and is saved', async () => {
    await open('/workbench?metrics=price,mvrv&range=3m')
    await page.getByLabel('Title', { exact: true }).fill('My chart')
    await page.getByLabel('Notes at dates').fill('9.2.2010 Begin')
    await page.getByLabel('Notes at dates').press('Enter')
    expect(await page.getByLabel('Notes at dates').inputValue()).toBe('9.2.2010 Begin')
    await page.getByLabel('Notes at dates').fill('2010-02-09 Begin')
    await page.getByLabel('Notes at dates').press('Enter')
    await page.getByLabel('Style of Price').selectOption('Candles')
    await inPicture('Begin')
    await handle('Price').click()
    await page.getByLabel('Logarithmic').check()
    await button('Set').click()
    await expect.poll(address).toMatch(/y=%2C%2Clog%21/)
    await button('Save in this browser as “My chart”').click()
    await page.getByText('Saved charts, one for each title:').waitFor()
    const saved = address()
    await open('/board')
    await page.getByRole('link', { name: 'My chart' }).click()
    await inPicture('Begin')
    expect(address()).toBe(saved)
    expect(await readState()).toMatchObject({
      title: 'My chart',
      notes: [['2010-02-09', 'Begin']],
      lines: [{ style: 'candle' }, { style: 'auto' }],
    })
    await button('Remove the saved chart My chart').click()
    expect(await page.getByRole('link', { name: 'My chart' }).count()).toBe(0)
  })

  test('the workbench shows hours, and the months of the first metric by year', async () => {
    complaints.length = 0
    await open('/workbench?metrics=tx_count')
    await button('Add a series').click()
    await page.keyboard.type('m1 * 2')
    await page.keyboard.press('Enter')
    await inPicture('m1 * 2')
    // The field stays ready for another series.
    await page.keyboard.type('m1 * 3')
    await page.keyboard.press('Enter')
    await inPicture('m1 * 3')
    await page.keyboard.press('Control+Z')
    await series('tx_count', 'm1 * 2')
    await page.getByLabel('Points are').selectOption('Weeks')
    await add('sma(m1, 7)')
    await page.getByText('Formulas count days').waitFor()
    await button('Remove sma(m1, 7)').click()
    await button('Remove m1 * 2').click()
    await page.getByLabel('Points are').selectOption('Hours')
    await expect.poll(() => page.locator('.picture').textContent()).toMatch(/23:00/)
    await page.getByLabel('Points are').selectOption('Days')
    await expect.poll(() => page.locator('.picture').textContent()).not.toMatch(/23:00/)
    await page.getByLabel('Cycles or seasons of m1').selectOption('Seasonality by month')
    await inPicture('Jan')
    await inPicture('Dec')
    expect(complaints).toEqual([])
  })
})
