import { afterAll, expect, test } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { convertToPng } from '#render/output/png.ts'
import { createRenderPool } from '#render/output/render-pool.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'

const pool = createRenderPool(2, 30_000)
afterAll(() => pool.close())

const chart = buildSpecification(fillTemplate(templates.mvrv_ratio!, dayRange(firstPriceDay + 4000, 400)))
const svg = serializeSvg(drawChart(chart, nodePlatform).svg)
const drawn = async (task: Parameters<typeof pool.render>[0]) => Buffer.from(await pool.render(task))

test('a thread draws the same files as the program itself', async () => {
  // First in this process, so that both threads register the fonts concurrently.
  const pngs = await Promise.all([1, 2].map(() => drawn({ specification: chart, format: 'png' })))
  const own = await convertToPng(svg)
  expect(pngs.map((png) => png.equals(own))).toEqual([true, true])
  expect((await drawn({ specification: chart, format: 'svg' })).toString()).toBe(svg)
  const json = await drawn({ specification: chart, format: 'spec' })
  const { specification } = readChartResponse(`{"specification":${json}}`)
  expect(serializeSvg(drawChart(specification, nodePlatform).svg)).toBe(svg)
})

test('a chart that takes too long is given up, and the next one is drawn', async () => {
  const hasty = createRenderPool(1, 1)
  try {
    await expect(hasty.render({ specification: chart, format: 'png' })).rejects.toMatchObject({
      code: 'render_timeout',
      message: 'the chart "MVRV ratio" with 2 series took more than 0.001 seconds to draw',
    })
    expect((await drawn({ specification: chart, format: 'svg' })).length).toBe(Buffer.byteLength(svg))
  } finally {
    await hasty.close()
  }
})

test('characters that all fonts lack, and emoji, are named instead of drawn as boxes; an SVG may have them', async () => {
  const titled = (title: string) => ({ ...chart, title })
  for (const [title, characters] of [
    ['Bitcoin 🚀🚀', '🚀'],
    ['abc\u0378def', '\u0378'],
  ] as const) {
    await expect(pool.render({ specification: titled(title), format: 'png' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: `no font of this machine has the characters ${characters}`,
    })
    expect((await drawn({ specification: titled(title), format: 'svg' })).toString()).toContain(title)
  }
  for (const title of ['₿ Żółć — “Σ” ≥ 3 × ½ Цена Τιμή', 'joined\u200c\u200d', '']) {
    expect((await drawn({ specification: titled(title), format: 'png' })).length).toBeGreaterThan(1_000)
  }
  const many = String.fromCodePoint(...Array.from({ length: 12 }, (_, i) => 0x1f600 + i))
  await expect(pool.render({ specification: titled(many), format: 'png' })).rejects.toThrow(/ and 2 more$/)
})

test('an SVG brings along the files of the font that its texts need', async () => {
  const filesIn = async (title: string) => {
    const text = (await drawn({ specification: { ...chart, title }, format: 'svg', embedFont: true })).toString()
    const rules = [...text.matchAll(/@font-face\{font-family:Inter;font-weight:(\d+);src:url\(([^)]*)\)/g)]
    for (const [, , address = ''] of rules) expect(atob(address.split(',')[1] ?? '').slice(0, 4)).toBe('wOF2')
    return rules.map(([, weight]) => weight).sort()
  }
  expect(await filesIn('Price')).toEqual(['400', '600'])
  expect(await filesIn('Price, Цена')).toEqual(['400', '600', '600'])
  expect(await filesIn('价格')).toEqual(['400'])
  expect(svg).not.toContain('@font-face')
})
