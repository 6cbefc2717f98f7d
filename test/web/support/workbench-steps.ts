import { expect } from 'vitest'
import { button, readState } from './chart-controls.ts'
import { complaints, open, page } from './opened.ts'

const texts = () =>
  page
    .getByRole('combobox', { name: /^Series \d/ })
    .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
/** Waits until the series of the workbench are these. */
export const series = (...wanted: readonly string[]) => expect.poll(texts).toEqual(wanted)
/** The series in the address. */
export const inAddress = async () => (await readState())?.lines.map(({ text }) => text)

export async function add(text: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Add a metric or formula' })
  await field.fill(text)
  await field.press('Enter')
  await expect.poll(inAddress).toContain(text)
}

/** Takes steps on the workbench. Fails if the keys do not undo each and do it again. */
export async function expectUndone(undo: string, redo: string): Promise<void> {
  await open('/status')
  await open('/workbench?metrics=mvrv&range=4y&scale=log')
  expect([await button('Undo').isDisabled(), await button('Redo').isDisabled()]).toEqual([true, true])
  // Nothing is left to undo, and the page stays.
  await page.keyboard.press(undo)
  await series('mvrv')
  await add('price')
  await add('sma(price, 7)')
  await page.getByLabel('Events').check()
  // The focus is on a checkbox, in which nothing is typed.
  await page.keyboard.press(undo)
  await expect.poll(() => page.getByLabel('Events').isChecked()).toBe(false)
  await page.keyboard.press(undo)
  await series('mvrv', 'price')
  await page.locator('.picture').getByText('sma(price, 7)', { exact: true }).waitFor({ state: 'detached' })
  await page.keyboard.press(undo)
  await page.keyboard.press(undo)
  await series('mvrv')
  expect(await button('Undo').isDisabled()).toBe(true)
  await page.keyboard.press(redo)
  await series('mvrv', 'price')
  await expect.poll(inAddress).toEqual(['mvrv', 'price'])
  await button('Redo').click()
  await series('mvrv', 'price', 'sma(price, 7)')
  await button('Undo').click()
  await series('mvrv', 'price')
  // A new step replaces those that were undone.
  await page.getByLabel('Style of Price').selectOption('Bars')
  await expect.poll(() => button('Redo').isDisabled()).toBe(true)
  await page.keyboard.press(undo)
  await expect.poll(() => page.getByLabel('Style of Price').inputValue()).toBe('auto')
  expect(new URL(page.url()).searchParams.get('range')).toBe('4y')
  expect(new URL(page.url()).searchParams.get('scale')).toBe('log')
  expect(complaints).toEqual([])
}
