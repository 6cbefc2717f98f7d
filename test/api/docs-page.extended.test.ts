import { JSDOM } from 'jsdom'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { browser } from '#test/support/browser.ts'
import { buildPages } from '#test/support/built-pages.ts'
import { browserTest } from '#test/support/shared-browser.ts'
import { serve, type TestServer, temporaryDataDir, withoutLimits } from './support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer

beforeAll(async () => {
  await buildPages()
  server = await serve(dataDir, withoutLimits)
})
afterAll(async () => {
  await server?.close()
  remove()
})

const operations = z.record(z.string(), z.record(z.string(), z.object({})))
const documentSchema = z.object({ paths: operations, webhooks: operations })

// Its scripts and styles only run where the content security policy and the addresses of the assets
// are right.
browserTest.skipIf(!browser)('a browser shows every operation of /docs', async ({ chromium }) => {
  const { paths, webhooks } = documentSchema.parse(await (await fetch(`${server.url}/docs`)).json())
  const expected = Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const page = await chromium.newPage()
  await page.goto(`${server.url}/docs`)
  await page
    .locator('.opblock-summary')
    .nth(expected.length - 1)
    .waitFor()
  const { document } = new JSDOM(await page.content()).window
  await page.close()
  const shown = [...document.querySelectorAll('.opblock-summary')].map((operation) => {
    const method = operation.querySelector('.opblock-summary-method')?.textContent
    return `${method} ${operation.querySelector('[data-path]')?.getAttribute('data-path')}`
  })
  expect(shown.sort()).toEqual(expected.sort())
  expect(document.querySelector('h1, h2.title')?.textContent).toContain('Coinstrata')
})
