import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { templates } from '#render/request/templates.ts'
import { galleryPages, pictureSize } from '#root/docs/gallery-page.ts'
import { publishSmallGeneration, replaceSmallTable } from '#test/api/support/small-generation.ts'
import { parseSvg } from '#test/render/picture.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('chart')
const dataDir = path.join(folder, 'data')
beforeAll(() => publishSmallGeneration(dataDir))
afterAll(() => rmSync(folder, { recursive: true }))

const chart = (...args: string[]) => coinstrata(['chart', '--data-dir', dataDir, ...args])

describe('chart', () => {
  test('draws a metric into a PNG and says what it shows', async () => {
    const output = path.join(folder, 'chart.png')
    const { exitCode, stdout, stderr } = await chart('--metric', 'price', '--days', '365', '-o', output)
    expect(exitCode, stderr).toBe(0)
    // The last of the 400 days is 2024-02-04; 364 days before it is the first of 365.
    expect(stdout).toBe(`${output}: price, 2023-02-05 to 2024-02-04, 1200×600\n`)
    expect(await sharp(output).metadata()).toMatchObject({ format: 'png', width: 1200, height: 600 })
  })

  test('draws a template into an SVG of the size and theme asked for', async () => {
    const output = path.join(folder, 'chart.svg')
    const look = ['--theme', 'dark', '--width', '800', '--height', '400']
    const { exitCode, stderr } = await chart('--template', 'price', ...look, '-o', output)
    expect(exitCode, stderr).toBe(0)
    const dark = parseSvg(readFileSync(output, 'utf8'))
    const { documentElement } = dark
    expect([documentElement.getAttribute('width'), documentElement.getAttribute('height')]).toEqual(['800', '400'])
    expect([...dark.querySelectorAll('text')].map(({ textContent }) => textContent)).toContain('Bitcoin price')
    const png = path.join(folder, 'dark.png')
    await chart('--template', 'price', ...look, '-o', png)
    const corner = await sharp(png).extract({ left: 2, top: 2, width: 1, height: 1 }).raw().toBuffer()
    expect(Math.max(...corner.subarray(0, 3))).toBeLessThan(64)
  })

  test('tells days of the cycle where cycles lie over each other', async () => {
    // The first has the 355 days from 2023-01-11 to 2023-12-31, more than the second has by the
    // last of them all.
    const cycles = "VALUES ('halving', 1, DATE '2023-01-11', false), ('halving', 2, DATE '2024-01-01', false)"
    await replaceSmallTable(dataDir, 'cycles', `FROM (${cycles}) AS made(family, cycle, start_date, provisional)`)
    const output = path.join(folder, 'cycles.png')
    const { exitCode, stdout, stderr } = await chart('--template', 'cycle_perf_halving', '-o', output)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/, days 0 to 354 of each cycle, 1200×600\n$/)
    expect(stdout).not.toMatch(/\d{4}-\d\d-\d\d/)
  })

  test('shows metrics of every grade', async () => {
    const { exitCode, stderr } = await chart('--metric', 'density', '-o', path.join(folder, 'density.png'))
    expect(exitCode, stderr).toBe(0)
  })

  test.each([
    [['--metric', 'prise'], /there is no metric 'prise'; did you mean 'price', /],
    [['--template', 'mvrv'], /there is no template 'mvrv'; did you mean 'mvrv_ratio'\?/],
    [['--template', 'pricee'], /there is no template 'pricee'; did you mean 'price'\?/],
    [['--metric', 'price', '--days', '6'], /--days must be at least 7; it is '6'/],
    [['--metric', 'price', '--theme', 'blue'], /--theme must be one of light, dark; it is 'blue'/],
    [['--metric', 'price', '--template', 'price'], /both --metric and --template/],
    [[], /neither --metric nor --template/],
    [['--metric', 'never'], /there are no values between/],
  ])('%j is refused and writes nothing', async (args, message) => {
    const output = path.join(folder, 'refused.png')
    const { exitCode, stdout, stderr } = await chart(...args, '-o', output)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\[invalid_argument\]\nWhat to do: /)
    expect(existsSync(output)).toBe(false)
  })

  test.each([
    ['chart.gif', /must end in \.png or \.svg/],
    [path.join('missing', 'chart.png'), /cannot be written to .*missing.chart\.png: ENOENT/],
  ])('a file named %s is refused', async (name, message) => {
    const { exitCode, stderr } = await chart('--metric', 'price', '-o', path.join(folder, name))
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })

  test('says what to do before anything is published', async () => {
    const args = ['chart', '--data-dir', path.join(folder, 'empty'), '--metric', 'price']
    const { exitCode, stderr } = await coinstrata([...args, '-o', path.join(folder, 'empty.png')])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/no data is published yet \[data_not_ready\]\nWhat to do: run "coinstrata update"/)
  })
})

describe('gallery', () => {
  const docs = path.join(import.meta.dirname, '..', '..', 'docs')

  test.each(Object.entries(galleryPages))('docs/%s is what `npm run docs:charts` writes now', (name, page) => {
    expect(readFileSync(path.join(docs, name), 'utf8') === page(), 'run "npm run docs:charts"').toBe(true)
  })

  test.each(Object.keys(templates))('has a picture of %s', async (name) => {
    const picture = path.join(docs, 'charts', `${name}.png`)
    expect(existsSync(picture), 'run "npm run docs:charts"').toBe(true)
    expect(await sharp(picture).metadata()).toMatchObject(pictureSize)
  })
})
