import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { listen } from '#test/support/listen.ts'
import { openPages, page, server } from './support/opened.ts'

/** A site that a user of the network visits; `localhost` and `127.0.0.1` are different sites. */
const elsewhere = createServer((_, response) => {
  response.setHeader('Content-Type', 'text/html').end(`<a href="${server.url}/metrics/mvrv">MVRV</a>`)
})
let site = ''

if (browser) openPages()
beforeAll(async () => {
  site = (await listen(elsewhere)).replace('127.0.0.1', 'localhost')
})
afterAll(() => elsewhere.close())

test.skipIf(!browser)(
  'with open access, a page of another site can link to the service, but read nothing',
  async () => {
    await page.goto(site)
    const found = await page.evaluate(async (url) => {
      const reads = ['/v1/prices', '/health', '/v1/status'].map((path) =>
        fetch(url + path).then(({ status }) => status),
      )
      const opaque = fetch(`${url}/v1/prices`, { mode: 'no-cors' }).then(({ type }) => type)
      const picture = new Promise((resolve) => {
        const image = new Image()
        image.onload = () => resolve('shown')
        image.onerror = () => resolve('refused')
        image.src = `${url}/v1/chart/snapshot?metric=price`
      })
      return Promise.all([...reads, opaque, picture].map((one) => one.catch(({ name }: Error) => name)))
    }, server.url)
    expect(found).toEqual(['TypeError', 'TypeError', 'TypeError', 'TypeError', 'refused'])
    await page.getByRole('link', { name: 'MVRV' }).click()
    await page.locator('.picture > svg').first().waitFor()
    expect(await page.evaluate(() => fetch('/v1/prices').then(({ status }) => status))).toBe(200)
  },
)
