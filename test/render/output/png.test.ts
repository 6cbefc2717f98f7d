import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { convertToPng } from '#render/output/png.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import type { ChartTemplate } from '#render/request/template.ts'
import { templates } from '#render/request/templates.ts'
import { pixelsOf, shareOfDifferentPixels } from '../pixels.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'

const approved = fileURLToPath(new URL('../approved/', import.meta.url))

function textSvg(text: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60" font-family="Inter"><rect width="300" height="60" fill="#fff"/><text x="10" y="40" font-size="32">${text}</text></svg>`
}

describe('pictures look as approved', () => {
  const cases: [string, ChartTemplate | undefined, 'light' | 'dark', number][] = [
    ['mvrv_ratio', templates.mvrv_ratio, 'light', 5970],
    ['nupl', templates.nupl, 'dark', 1500],
    ['hodl_waves', templates.hodl_waves, 'light', 1500],
    ['etf_flows', templates.etf_flows, 'dark', 60],
    ['cycle_perf_halving', templates.cycle_perf_halving, 'light', 5970],
    ['cost_basis_distribution', templates.cost_basis_distribution, 'light', 1500],
    ['price_models', templates.price_models, 'dark', 5970],
    ['price_events', templates.price_events, 'light', 5970],
    ['etf_flows_by_fund', templates.etf_flows_by_fund, 'light', 60],
    ['open_interest_shares', templates.open_interest_shares, 'dark', 1500],
    ['price_candles', templates.price_candles, 'light', 60],
    ['monthly_returns', templates.monthly_returns, 'dark', 5970],
  ]

  // After an intended change, inspect the new pictures and approve them with APPROVE=1.
  test.each(cases)('%s', async (name, template, theme, count) => {
    const request = fillTemplate(template!, dayRange(firstPriceDay + 5970 - count, count))
    const chart = buildSpecification({ ...request, theme, width: 600, height: 300 })
    const png = await convertToPng(serializeSvg(drawChart(chart, nodePlatform).svg))
    const file = path.join(approved, `${name}-${theme}.png`)
    if (process.env.APPROVE === '1') fs.writeFileSync(file, png)
    expect(await shareOfDifferentPixels(png, file)).toBeLessThan(0.005)
  })
})

/** Runs a program in a separate process that finds no fonts except those in `fonts`. */
async function runWithFonts(fonts: string, program: string): Promise<string[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coinstrata-fonts-'))
  try {
    fs.writeFileSync(path.join(folder, 'fonts.conf'), `<fontconfig>${fonts}</fontconfig>`)
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { ...process.env, FONTCONFIG_FILE: path.join(folder, 'fonts.conf'), XDG_CACHE_HOME: folder },
    })
    return stdout.trimEnd().split('\n')
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

async function drawWithoutSystemFonts(texts: readonly string[]): Promise<Buffer[]> {
  const lines = await runWithFonts(
    '',
    `const { convertToPng } = await import('#render/output/png.ts')
      for (const svg of ${JSON.stringify(texts.map(textSvg))}) {
        console.log(Buffer.from(await convertToPng(svg)).toString('base64'))
      }`,
  )
  return lines.map((line) => Buffer.from(line, 'base64'))
}

const hebrew = spawnSync('fc-list', ['--format', '%{file}\n', ':charset=5d0:outline=true'], { encoding: 'utf8' })
const hebrewFont = hebrew.stdout?.split('\n')[0] ?? ''

/** Characters of a title that have no font. */
const missingCharacters = async (fonts: string, title: string): Promise<string> => {
  const [line = ''] = await runWithFonts(
    fonts,
    `const { renderFile } = await import('#render/output/file-renderer.ts')
      const { buildSpecification } = await import('#render/request/specification-builder.ts')
      const x = { kind: 'date', days: Int32Array.of(1, 2) }
      const series = [{ id: 'a', label: 'A', unit: '', values: Float64Array.of(1, 2) }]
      const specification = buildSpecification({ title: ${JSON.stringify(title)}, source: '', x, series })
      const { characters } = await renderFile({ specification, format: 'png' })
      console.log(JSON.stringify(characters ?? 'drawn'))`,
  )
  return JSON.parse(line)
}

test('other scripts are named where no font has them', async () => {
  expect(await missingCharacters('', 'מחיר ₿ 比')).toEqual(['מ', 'ח', 'י', 'ר', '比'])
})

test.skipIf(hebrewFont === '')('other scripts are drawn with the fonts of the system', async () => {
  const fonts = `<dir>${path.dirname(hebrewFont)}</dir>`
  expect(await missingCharacters(fonts, 'מחיר ₿')).toBe('drawn')
  expect(await missingCharacters(fonts, 'מחיר \u0378')).toEqual(['\u0378'])
})

describe('fonts', () => {
  const price = '84.3k \u20bf'
  // U+0378 is assigned to no character, so it is drawn as the box of a missing letter. The program
  // never draws one, and this process does not either: some texts that Pango sets after that differ
  // by a shade, whatever they hold.
  let elsewhere: { sign: Buffer; missing: Buffer; blank: Buffer; price: Buffer }
  beforeAll(async () => {
    const [sign, missing, blank, priced] = await drawWithoutSystemFonts(['\u20bf', '\u0378', '', price])
    elsewhere = { sign: sign!, missing: missing!, blank: blank!, price: priced! }
  })

  test('the bitcoin sign is drawn, not the box of a missing letter', async () => {
    const { sign, missing, blank } = elsewhere
    expect(sign).not.toEqual(missing)
    expect(sign).not.toEqual(blank)
    // A box is almost empty in its middle; the sign has its bar there.
    const { data, info } = await pixelsOf(sign)
    const ink = (left: number, top: number, width: number, height: number) => {
      let dark = 0
      for (let y = top; y < top + height; y++)
        for (let x = left; x < left + width; x++) if (data[3 * (y * info.width + x)]! < 128) dark++
      return dark
    }
    expect(ink(10, 10, 30, 40)).toBeGreaterThan(150)
    expect(ink(14, 26, 12, 5)).toBeGreaterThan(15)
  })

  test('a machine without any font draws the same letters', async () => {
    expect(elsewhere.price.equals(await convertToPng(textSvg(price)))).toBe(true)
  })

  test('regular and semi-bold are two fonts', async () => {
    const [regular, bold] = [textSvg('Price'), textSvg('Price').replace('<text', '<text font-weight="600"')]
    const dark = async (svg: string) =>
      (await pixelsOf(await convertToPng(svg))).data.filter((value) => value < 128).length
    expect(await dark(bold)).toBeGreaterThan(1.15 * (await dark(regular)))
  })
})

test('hairlines of the grid are one pixel of their colour, not two of half of it', async () => {
  const days = dayRange(19723, 30)
  const series = [{ id: 'a', label: 'A', unit: '', values: Float64Array.from(days, (_, i) => i) }]
  const svg = serializeSvg(
    drawChart(buildSpecification({ title: '', source: '', x: { kind: 'date', days }, series }), nodePlatform).svg,
  )
  const { data, info } = await pixelsOf(await convertToPng(svg))
  // Vertically through the plot; pixels that are not grey are the series.
  const column = Array.from({ length: info.height - 80 }, (_, y) => [
    ...data.subarray(3 * (y * info.width + 200)).subarray(0, 3),
  ])
  const greys = column.filter((pixel) => Math.max(...pixel) - Math.min(...pixel) < 8).map(([red]) => red!)
  expect(greys.filter((grey) => grey === 0xe9).length).toBeGreaterThan(5)
  expect(greys.filter((grey) => grey !== 0xe9 && grey !== 255)).toEqual([])
})
