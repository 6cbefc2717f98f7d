import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { saveOwnMetric } from '#root/cli/own-metrics.ts'
import { browser } from '#test/support/browser.ts'
import { button } from './support/chart-controls.ts'
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

const definition = {
  id: 'twice_price',
  title: 'Price, twice',
  formula: '2 * price',
  unit: 'USD',
  description: 'Two coins.',
}
const folder = (): string => path.join(chain.dataDir, 'metrics')

async function fillIn(): Promise<void> {
  complaints.length = 0
  await open('/workbench?metrics=price,2 * price,(2 * price) / mvrv')
  await page.getByText('Save a formula as a metric').click()
  expect(await page.locator('details').getByLabel('Formula').inputValue()).toBe(definition.formula)
  for (const [name, value] of [
    ['Id', definition.id],
    ['Title of the metric', definition.title],
    ['Description', definition.description],
  ] as const)
    await page.locator('details').getByLabel(name, { exact: true }).fill(value)
  await page.locator('details').getByLabel('Unit').selectOption(definition.unit)
  await button('Save as a metric').click()
}

describe.skipIf(!browser)('the operator in a real browser', () => {
  openPages({}, { saveMetric: async (...given) => saveOwnMetric(chain.dataDir, ...given) })
  afterAll(() => rmSync(folder(), { recursive: true, force: true }))

  test('saves a formula of the workbench as a metric, once', async () => {
    await fillIn()
    await page.getByText('Saved as metrics/twice_price.json').waitFor()
    expect(JSON.parse(readFileSync(path.join(folder(), 'twice_price.json'), 'utf8'))).toEqual(definition)
    expect(await unreachable()).toEqual([])
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      // The chart follows the window.
      await expect.poll(overflow).toBeLessThanOrEqual(0)
      expect(await findings()).toEqual([])
    }
    expect(await smallControls()).toEqual([])
    expect(complaints).toEqual([])
    await button('Save as a metric').click()
    await page.getByText('The file twice_price.json exists: choose another id').waitFor()
  })
})

describe.skipIf(!browser)('others in a real browser', () => {
  openPages({ TRUST_PROXY: '1' })

  test('get the file for the operator', async () => {
    await fillIn()
    await page.getByText('only the operator saves metrics', { exact: false }).waitFor()
    expect(JSON.parse(await page.locator('details pre').innerText())).toEqual(definition)
    expect(existsSync(folder())).toBe(false)
  })
})
