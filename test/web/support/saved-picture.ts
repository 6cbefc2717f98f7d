import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { shareOfDifferentPixels } from '#test/render/pixels.ts'
import { button } from './chart-controls.ts'
import { open, page, server } from './opened.ts'

/** Pages with a chart, and the requests of the same chart from the API. */
export const pictures: readonly (readonly [path: string, body: object])[] = [
  ['/metrics/price', { metric: 'price' }],
  ['/metrics/mvrv?price=off', { metric: 'mvrv' }],
  ['/metrics/mvrv', { metric: 'mvrv', overlay: 'price' }],
  ['/metrics/coindays_destroyed', { metric: 'coindays_destroyed', overlay: 'price' }],
  ['/metrics/etf_net_flow_btc', { metric: 'etf_net_flow_btc', overlay: 'price' }],
  ['/workbench?metrics=price,realized_price', { metrics: ['price', 'realized_price'] }],
  ['/workbench?metrics=sma(price%2C7)', { formulas: [{ expression: 'sma(price,7)' }] }],
  ['/workbench?metrics=lth_supply,sth_supply,mvrv', { metrics: ['lth_supply', 'sth_supply', 'mvrv'] }],
]

/** Saves the picture of the chart of a page. Fails if the API draws `body` otherwise. */
export async function expectPicture(path: string, body: object): Promise<void> {
  await open(path)
  await button('Save or share').click()
  const [download] = await Promise.all([page.waitForEvent('download'), button('PNG').click()])
  const saved = readFileSync((await download.path()) ?? '')
  const dialog = page.getByRole('dialog')
  const title = await dialog.getByRole('heading', { level: 2 }).textContent()
  const subtitle = await dialog.getByLabel('Subtitle').inputValue()
  const response = await fetch(`${server.url}/v1/chart/snapshot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...body,
      title,
      ...(subtitle && { subtitle }),
      range: 'all',
      pixel_ratio: 2,
      format: 'png',
    }),
  })
  expect(response.status).toBe(200)
  expect(await shareOfDifferentPixels(saved, new Uint8Array(await response.arrayBuffer()))).toBeLessThan(0.015)
}
