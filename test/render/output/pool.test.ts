import { afterAll, expect, test } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { convertToPng } from '#render/output/png.ts'
import { createRenderPool } from '#render/output/pool.ts'
import { composeChart } from '#render/request/compose.ts'
import { templates } from '#render/request/templates.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'

const pool = createRenderPool(1, 30_000, 2)
afterAll(() => pool.close())

const chart = composeChart(fillTemplate(templates.mvrv_ratio!, dayRange(firstPriceDay + 4000, 400)))
const svg = serializeSvg(drawChart(chart, nodePlatform).svg)

test('a thread draws the same files as the program itself', async () => {
  expect(Buffer.from(await pool.render(chart, 'svg')).toString()).toBe(svg)
  expect(Buffer.from(await pool.render(chart, 'png')).equals(await convertToPng(svg))).toBe(true)
})

test('a chart that takes too long is given up, and the next one is drawn', async () => {
  const hasty = createRenderPool(1, 1, 2)
  try {
    await expect(hasty.render(chart, 'png')).rejects.toMatchObject({
      code: 'render_timeout',
      message: 'the chart "MVRV ratio" with 2 series took more than 0.001 seconds to draw',
    })
    expect((await pool.render(chart, 'svg')).length).toBe(Buffer.byteLength(svg))
  } finally {
    await hasty.close()
  }
})

test('more charts than may wait are refused at once', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => pool.render(chart, 'svg')))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.length).toBeGreaterThanOrEqual(5)
  expect(refused.length).toBeLessThan(8)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'render_overloaded' })
})
