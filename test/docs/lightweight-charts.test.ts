import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect } from 'vitest'
import { z } from 'zod'
import { keys, serveChain, server } from '#test/api/support/chain-service.ts'
import { chainDays } from '#test/api/support/served-chain.ts'
import { browser } from '#test/support/browser.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { browserTest } from '#test/support/shared-browser.ts'
import { codeBlocks } from './support/pages.ts'

/** The page of docs/analyse.md with Lightweight Charts, opened from a folder as its readers do. */

serveChain()

const folder = temporaryFolder('lightweight-charts')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const library = createRequire(import.meta.url).resolve('lightweight-charts/package.json')
const script = 'lightweight-charts.standalone.production.js'
const documented =
  codeBlocks.find(({ language, page }) => language === 'html' && page === 'docs/analyse.md')?.text ?? ''
const bars = z.object({ s: z.literal('ok'), t: z.array(z.number()) })
const down = [239, 83, 80]
const up = [38, 166, 154]
const blue = [33, 150, 243]

browserTest.skipIf(!browser)('draws candles of the price, and a metric below', async ({ chromium }) => {
  const [, key = ''] = (keys.get('pro')?.authorization ?? '').split(' ')
  expect(documented).toContain("const key = ''")
  copyFileSync(path.join(path.dirname(library), 'dist', script), path.join(folder, script))
  const page = await chromium.newPage({ viewport: { width: 1200, height: 700 } })
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  const open = async (ofKey: string): Promise<void> => {
    const file = path.join(folder, 'chart.html')
    const text = documented.replace('http://127.0.0.1:3000', server.url).replace("key = ''", `key = '${ofKey}'`)
    writeFileSync(file, text)
    await page.goto(pathToFileURL(file).href)
  }
  const readBars = (symbol: string) => page.waitForResponse((one) => one.url().includes(`/history?symbol=${symbol}&`))
  /** Pixels of each colour in the upper and the lower pane. */
  const countPixels = (colours: readonly number[][]) =>
    page.evaluate((wanted) => {
      const all = [...document.querySelectorAll('canvas')]
      const wide = all.filter(({ width }) => width > 900)
      const tops = [...new Set(wide.map((one) => Math.round(one.getBoundingClientRect().top)))].sort((a, b) => a - b)
      return tops.slice(0, 2).map((top) =>
        wanted.map((colour) => {
          let count = 0
          for (const one of wide.filter((canvas) => Math.round(canvas.getBoundingClientRect().top) === top)) {
            const { data } = one.getContext('2d')!.getImageData(0, 0, one.width, one.height)
            for (let i = 0; i < data.length; i += 4) if (colour.every((part, c) => data[i + c] === part)) count++
          }
          return count
        }),
      )
    }, colours)

  for (const [ofKey, days] of [
    ['', 60],
    [key, chainDays - 40],
  ] as const) {
    const read = Promise.all([readBars('price'), readBars('mvrv')])
    await open(ofKey)
    for (const response of await read) expect(bars.parse(await response.json()).t.length).toBe(days)
    await page.locator('canvas').first().waitFor()
    await expect
      .poll(() => countPixels([up, down, blue]))
      .toEqual([
        [expect.any(Number), expect.any(Number), 0],
        [0, 0, expect.any(Number)],
      ])
    const [candles = [], metric = []] = await countPixels([up, down, blue])
    expect([candles[0]! + candles[1]! > 500, metric[2]! > 500]).toEqual([true, true])
  }
  expect(problems).toEqual([])
  await open('cs_unknown')
  await page.getByText('API key').waitFor()
  await page.close()
})
