import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { type OutputChunk, rolldown } from 'rolldown'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import { fontFace, fontFile, fontParts } from '#render/draw/inter.ts'
import type { ChartSpecification } from '#render/draw/specification.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { convertToPng } from '#render/output/png.ts'
import { writeSpecification } from '#render/output/specification-json.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { browser } from '#test/support/browser.ts'
import { listen } from '#test/support/listen.ts'
import { browserTest } from '#test/support/shared-browser.ts'
import { shareOfDifferentPixels } from '../pixels.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Loaded when a chart needs them. */
const rare = [
  'chart-formulas',
  'color-marks',
  'cycles',
  'fine-source',
  'histogram',
  'month-grid',
  'monthly-values',
].map((name) => `${name}.ts`)
let bundle: OutputChunk
let colorMarks: OutputChunk
const build = async (input: string): Promise<OutputChunk> => {
  const external = (id: string): boolean => id !== input && rare.includes(path.basename(id))
  const build = await rolldown({ input, platform: 'browser', external })
  return (await build.generate({ format: 'es', minify: true })).output[0]
}
beforeAll(async () => {
  bundle = await build(`${root}render/page/page.ts`)
  colorMarks = await build(`${root}render/draw/color-marks.ts`)
})

/**
 * The default size; in smaller pictures the edges of letters, which differ, take more of the
 * pixels.
 */
const size = { width: 1200, height: 600 }
const charts = new Map(
  (['mvrv_ratio', 'hodl_waves', 'cost_basis_distribution'] as const).map((name) => [
    name,
    buildSpecification({ ...fillTemplate(templates[name]!, dayRange(firstPriceDay + 4470, 1500)), ...size }),
  ]),
)

describe('render/ for a page', () => {
  test('is one file without imports, of Node least of all', () => {
    expect(bundle.imports).toEqual([])
    expect(bundle.dynamicImports.map((name) => path.basename(name)).sort()).toEqual(rare)
    expect(Object.keys(bundle.modules).filter((name) => name.startsWith('node:') || name.includes('zod'))).toEqual([])
    expect(bundle.code).not.toMatch(/\bprocess\.|\bBuffer\./)
  })

  test('takes at most 53 kB compressed', () => {
    expect(gzipSync(bundle.code, { level: 9 }).length).toBeLessThan(53_000)
  })
})

test('a specification comes through JSON as it is', () => {
  for (const chart of charts.values()) {
    const { specification } = readChartResponse(`{"specification":${writeSpecification(chart)}}`)
    expect(withoutUndefined(specification)).toEqual(withoutUndefined(chart))
    expect(serializeSvg(drawChart(specification, nodePlatform).svg)).toBe(
      serializeSvg(drawChart(chart, nodePlatform).svg),
    )
  }
})

/** JSON omits undefined fields. */
const withoutUndefined = (value: unknown): unknown =>
  value instanceof Object && !ArrayBuffer.isView(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, withoutUndefined(one)]])),
      )
    : value

describe.skipIf(!browser)('a real browser', () => {
  let server: Server
  let url: string
  let page: Page
  browserTest.beforeAll(async ({ chromium }) => {
    page = await chromium.newPage({ viewport: size })
    server = createServer((request, response) => {
      const [type, body] = respond(request.url ?? '')
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    url = await listen(server)
  })
  afterAll(async () => {
    await page?.close()
    server?.close()
  })

  /** Screenshot of a page after its scripts have run. */
  async function takeScreenshot(name: string): Promise<Uint8Array> {
    await page.goto(`${url}/${name}`)
    await page.locator('body > svg').waitFor()
    await page.evaluate(() => document.fonts.ready)
    return page.screenshot()
  }

  const respond = (path: string): [type: string, body: string | Uint8Array] => {
    const name = path.slice(1)
    if (name === 'page.js') return ['text/javascript', bundle.code]
    if (name.endsWith('color-marks.ts')) return ['text/javascript', colorMarks.code]
    if (name.endsWith('.woff2')) return ['font/woff2', readFileSync(`${root}render/fonts/${name}`)]
    const chart = [...charts].find(([known]) => name === `${known}.json`)?.[1]
    if (chart) return ['application/json', `{"specification":${writeSpecification(chart)}}`]
    return ['text/html', writePage(name)]
  }

  test.each([...charts])('draws %s as the PNG shows it', async (name, chart) => {
    const picture = await takeScreenshot(name)
    expect(await measureInk(picture)).toBeGreaterThan(0.01)
    expect(await shareOfDifferentPixels(picture, await drawPng(chart))).toBeLessThan(0.015)
  })

  test('a chart with another line is told apart', async () => {
    const chart = charts.get('mvrv_ratio')!
    const [one] = chart.series
    const other = { ...chart, series: [{ ...one!, values: one!.values.map((value) => value * 1.5) }] }
    const picture = await takeScreenshot('mvrv_ratio')
    expect(await shareOfDifferentPixels(picture, await drawPng(other))).toBeGreaterThan(0.015)
  })
})

const drawPng = (chart: ChartSpecification): Promise<Uint8Array> =>
  convertToPng(serializeSvg(drawChart(chart, nodePlatform).svg))

async function measureInk(png: Uint8Array): Promise<number> {
  const { data } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true })
  return data.filter((grey) => grey < 250).length / data.length
}

const writePage = (chart: string): string => `<!doctype html>
<meta charset="utf-8">
<style>
  body { margin: 0 }
  ${([400, 600] as const).flatMap((weight) => fontParts.map((part) => fontFace(weight, part, fontFile(weight, part)))).join('\n')}
</style>
<script type="module">
  import { drawChart, loadColorMarks, pagePlatform, readChartResponse } from './page.js'
  const [answer] = await Promise.all([
    fetch('${chart}.json').then((response) => response.text()),
    // Loads both parts of the font, which might otherwise arrive after the picture.
    ...[400, 600].map((weight) => document.fonts.load(weight + ' 12px Inter', 'Aé–−·…₿')),
  ])
  await loadColorMarks(false)
  const { svg } = drawChart(readChartResponse(answer).specification, pagePlatform(document))
  document.body.append(svg)
  await document.fonts.ready
</script>`
