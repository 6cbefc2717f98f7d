import { chmodSync, readdirSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { pino } from 'pino'
import sharp from 'sharp'
import { request } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import { chartExamples } from '#api/openapi/charts.ts'
import { startServer } from '#api/server.ts'
import { apiSettings } from '#api/settings.ts'
import { chartMetadata } from '#contract/chart-metadata.ts'
import { drawChart } from '#render/draw/chart.ts'
import { describeOmissions } from '#render/draw/omissions.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import { metricId } from '#render/request/template.ts'
import { templates } from '#render/request/templates.ts'
import { parseSvg } from '#test/render/picture.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, documented, keys, serveChain, server } from './support/chain-service.ts'
import { answeredTemplates, expectTemplate } from './support/template-answers.ts'
import { serve, withoutLimits } from './support/test-server.ts'

serveChain()
let pro: Record<string, string>
let enterprise: Record<string, string>
beforeAll(() => {
  pro = keys.get('pro')!
  enterprise = keys.get('enterprise')!
})

const snapshot = '/v1/chart/snapshot'
const get = (query: string, headers: Record<string, string> = enterprise, at = server) =>
  fetch(`${at.url}${snapshot}?${query}`, { headers })
const post = (body: unknown, headers: Record<string, string> = enterprise) =>
  fetch(server.url + snapshot, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function metadataOf(response: Response) {
  const body = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(200)
  expect(documented.problem('post', snapshot, 200, body)).toBeUndefined()
  return chartMetadata.parse(body)
}

describe('formats', () => {
  test('a GET with only a metric is a PNG of the usual size', async () => {
    const response = await get('metric=price')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject({
      width: 1200,
      height: 600,
    })
  })

  test('sizes for screens of high density and for phones', async () => {
    const sizeOf = async (query: string) => {
      const { width, height } = await sharp(Buffer.from(await (await get(query)).arrayBuffer())).metadata()
      return [width, height]
    }
    expect(await sizeOf('metric=price&width=1200&height=675&pixel_ratio=2')).toEqual([2400, 1350])
    expect(await sizeOf('metric=price&width=1080&height=1920&text_scale=2.5')).toEqual([1080, 1920])
    expect((await get('metric=price&width=2400&height=1920&pixel_ratio=2')).status).toBe(400)
    expect((await get('metric=price&text_scale=1e1')).status).toBe(400)
  })

  test.each([
    ['', 'image/svg+xml', 'image/svg+xml'],
    ['', 'application/json, image/png', 'image/png'],
    ['', 'application/json, image/png, image/svg+xml', 'image/svg+xml'],
    ['', 'application/json', 'application/json'],
    ['', 'text/html', 'image/png'],
    ['', '*/*', 'image/png'],
    ['', 'image/svg+xml;q=0.4, image/png;q=0.5', 'image/png'],
    ['', 'application/json, image/svg+xml;q=0.9', 'application/json'],
    ['&format=png', 'image/svg+xml', 'image/png'],
    ['&format=json', 'image/png', 'application/json'],
  ])('format%s with Accept %s is %s', async (format, accept, type) => {
    const response = await get(`metric=price&days=30${format}`, { ...enterprise, accept })
    expect(response.headers.get('content-type')).toMatch(new RegExp(`^${type.replace('+', '\\+')}`))
    expect(response.headers.get('x-render-id')).toMatch(/^[0-9a-f]{32}$/)
  })

  test('POST honours Accept, too', async () => {
    const response = await post({ metric: 'price' }, { ...enterprise, accept: 'image/svg+xml' })
    expect(response.headers.get('content-type')).toMatch(/^image\/svg\+xml/)
  })

  test('metadata tell what the tables hold', async () => {
    const metadata = await metadataOf(await get('metric=mvrv&days=100&format=json', pro))
    const [row] = await rowsOf(
      `SELECT arg_min(mvrv, date), arg_max(mvrv, date), min(mvrv), max(mvrv), min(date), max(date), count(mvrv)
       FROM (FROM ${publishedTable(chain.dataDir, 'metrics_valuation')} ORDER BY date DESC LIMIT 100)`,
    )
    const [first, last, min, max, from, to, count] = row!
    expect(metadata.x).toEqual({ kind: 'date', first: from, last: to })
    expect(metadata.series[0]).toMatchObject({
      id: 'mvrv',
      label: 'MVRV',
      first: { date: from, value: Number(first) },
      last: { date: to, value: Number(last) },
      min: { value: Number(min) },
      max: { value: Number(max) },
      count: Number(count),
    })
    expect(metadata.simulated).toBe(true)
  })
})

describe('what a page draws', () => {
  const composed = async (response: Response) => {
    const text = await response.text()
    expect(response.status, text).toBe(200)
    expect(documented.problem('post', snapshot, 200, JSON.parse(text))).toBeUndefined()
    return readChartResponse(text)
  }

  test.each(Object.entries(chartExamples))(
    'the example "%s" is the picture of the same request',
    async (_, { value }) => {
      const { specification, ...origin } = await composed(await post({ ...value, format: 'spec' }))
      const svg = await (await post({ ...value, format: 'svg' })).text()
      expect(serializeSvg(drawChart(specification, nodePlatform).svg)).toBe(svg)
      const { title, theme, width, height, x, series, heatmap, remarks, ...told } = await metadataOf(
        await post({ ...value, format: 'json' }),
      )
      expect(origin).toEqual(told)
      expect([...describeOmissions(specification), ...specification.remarks]).toEqual(remarks)
      expect(specification).toMatchObject({ title, theme, width, height, x: { kind: x.kind } })
      expect(specification.series.map(({ id }) => id)).toEqual(series.map(({ id }) => id))
      expect(series.length + (heatmap || value.calendar ? 1 : 0)).toBeGreaterThan(0)
      expect((await fetch(told.svg_url)).status).toBe(200)
    },
  )

  test('comes by GET, and only where format says so', async () => {
    const { specification } = await composed(await get('metric=price&days=30&format=spec&pixel_ratio=2'))
    expect([specification.x.days.length, specification.pixelRatio]).toEqual([30, 2])
    const named = await get('metric=price&days=30', { ...enterprise, accept: 'application/json' })
    expect(await named.json()).not.toHaveProperty('specification')
  })
})

describe('the drawn values as a table', () => {
  const chart = {
    metrics: ['price', { id: 'price', style: 'area' }],
    formulas: [{ expression: 'if(price > 1, price, -1)' }, { expression: 'm1', label: '=1+1' }],
    days: 30,
    end_date: '2010-01-31',
  }

  test('as CSV, with names that are unique and no spreadsheet evaluates', async () => {
    const response = await post({ ...chart, format: 'csv' })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = (await response.text()).split('\r\n')
    expect(lines[0]).toBe(`date,Price,Price (2),"if(price > 1, price, -1)",'=1+1`)
    const series = await fetch(`${server.url}/v1/series?metrics=price&start_date=2010-01-02&end_date=2010-01-31`, {
      headers: enterprise,
    })
    const { data } = await series.json()
    const rows = data.map(({ date, price }: { date: string; price: number }) =>
      [date, price, price, Math.max(price, -1), price].join(),
    )
    expect(lines.slice(1)).toEqual([...rows.reverse(), ''])
  })

  test('as JSON with names, units and origin; values that are not known are null', async () => {
    const { formulas } = chart
    const response = await post({
      metrics: ['mvrv'],
      formulas,
      start_date: '2009-02-01',
      interval: 'month',
      format: 'rows',
    })
    const body = await response.json()
    expect(documented.problem('post', snapshot, 200, body)).toBeUndefined()
    expect(body).toMatchObject({
      title: 'MVRV, if(price > 1, price, -1), =1+1',
      series: [
        { name: 'mvrv', label: 'MVRV', unit: 'ratio' },
        { name: 'if(price > 1, price, -1)', unit: 'USD' },
        { name: '=1+1', unit: 'ratio' },
      ],
      data: expect.arrayContaining([
        {
          date: '2009-02-28',
          mvrv: expect.any(Number),
          '=1+1': expect.any(Number),
          'if(price > 1, price, -1)': expect.any(Number),
        },
      ]),
      generation: response.headers.get('x-generation'),
      simulated: true,
    })
  })

  test('by GET, with what a tier may see', async () => {
    expect((await (await get('metric=price&days=7&format=csv', pro)).text()).split('\r\n')).toHaveLength(9)
    expect((await get('metric=price&format=csv', {})).status).toBe(401)
    const id = (await get('metric=price&format=csv', pro)).headers.get('x-render-id')
    expect((await fetch(`${server.url}/v1/chart/renders/${id}.csv`, { headers: enterprise })).status).toBe(404)
  })
})

describe('caching and compression', () => {
  const url = (query: string) => `${server.url}${snapshot}?metric=price&days=300&${query}`

  test.each(['png', 'svg', 'json', 'csv', 'rows', 'spec'])(
    'format %s has an ETag, and is not sent again',
    async (format) => {
      const first = await fetch(url(`format=${format}`), { headers: enterprise })
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/)
      const again = await fetch(url(`format=${format}`), {
        headers: { ...enterprise, 'if-none-match': `"x", ${etag}` },
      })
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
      expect(again.headers.get('x-render-id')).toBe(first.headers.get('x-render-id'))
      const other = await fetch(url(`format=${format}&theme=dark`), {
        headers: { ...enterprise, 'if-none-match': etag },
      })
      expect(other.status).toBe(200)
    },
  )

  test('each format and each caller of another tier has its own ETag', async () => {
    const tags = new Set<string | null>()
    for (const headers of [pro, enterprise]) {
      for (const format of ['png', 'svg', 'json', 'csv', 'rows', 'spec']) {
        tags.add((await fetch(url(`format=${format}`), { headers })).headers.get('etag'))
      }
    }
    expect(tags.size).toBe(12)
  })

  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync } as const
  test.each(Object.entries(decoders))(
    'what is longer than a kilobyte is compressed as %s, but for PNGs',
    async (encoding, decode) => {
      for (const format of ['svg', 'csv', 'rows', 'spec', 'png']) {
        const [plain, packed] = [await raw(format, 'identity'), await raw(format, encoding)]
        expect([plain.encoding, packed.encoding]).toEqual([undefined, format === 'png' ? undefined : encoding])
        expect(packed.vary).toBe('Authorization, X-API-Key, Cookie, Accept, Accept-Encoding')
        if (format === 'png') continue
        expect(decode(packed.body).equals(plain.body)).toBe(true)
        expect(packed.body.length).toBeLessThan(0.8 * plain.body.length)
      }
    },
  )

  /** As it comes over the wire: fetch would decode it. */
  const raw = async (format: string, acceptEncoding: string) => {
    const { body, headers } = await request(url(`format=${format}`), {
      headers: { ...enterprise, 'accept-encoding': acceptEncoding },
    })
    return {
      body: Buffer.from(await body.arrayBuffer()),
      encoding: headers['content-encoding'],
      vary: headers.vary,
    }
  }

  test('a stored picture, too', async () => {
    const id = (await fetch(url('format=svg'), { headers: enterprise })).headers.get('x-render-id')
    const first = await fetch(`${server.url}/v1/chart/renders/${id}.svg`)
    const etag = first.headers.get('etag') ?? ''
    const again = await fetch(`${server.url}/v1/chart/renders/${id}.svg`, { headers: { 'if-none-match': etag } })
    expect([first.headers.get('content-encoding') !== null, again.status]).toEqual([true, 304])
    const gone = await fetch(`${server.url}/v1/chart/renders/${'0'.repeat(32)}.svg`, {
      headers: { 'if-none-match': '*' },
    })
    expect(gone.status).toBe(404)
  })
})

test('characters that a PNG cannot show are refused by name, as SVG they are sent', async () => {
  const body = { metric: 'price', title: '比特\u0378 🚀', days: 30 }
  const refused = await post(body)
  expect([refused.status, (await refused.json()).message]).toEqual([
    400,
    expect.stringMatching(/^no font of this machine has the characters .*\u0378 🚀: install a font/),
  ])
  expect((await post({ ...body, format: 'svg' })).status).toBe(200)
})

test('an SVG brings its font along where asked to', async () => {
  const plain = await (await get('metric=price&format=svg')).text()
  const embedded = await (await get('metric=price&format=svg&embed_font=true')).text()
  expect(plain).not.toContain('@font-face')
  expect(embedded).toContain('@font-face{font-family:Inter;font-weight:600;src:url(data:font/woff2;base64,')
  expect(embedded.replace(/<style[^>]*>[^<]*<\/style>/, '')).toBe(plain)
  expect((await get('metric=price&format=svg&embed_font=yes')).status).toBe(400)
})

describe('stored renders', () => {
  test('are fetched by id without a key, in the format that was not drawn, too', async () => {
    const drawn = await get('metric=price&days=50&format=svg')
    const svg = await drawn.text()
    const url = `${server.url}/v1/chart/renders/${drawn.headers.get('x-render-id')}`
    const [again, png] = [await fetch(`${url}.svg`), await fetch(`${url}.png`)]
    expect(await again.text()).toBe(svg)
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
    const metadata = await metadataOf(await get('metric=price&days=50&format=json'))
    expect([metadata.png_url, metadata.svg_url]).toEqual([`${url}.png`, `${url}.svg`])
  })

  test('are linked to by the address that the world reaches', async () => {
    const settings = apiSettings.parse({ PORT: '0', ...withoutLimits, ACCESS: 'open' })
    const options = { DATA_DIR: chain.dataDir, MEMORY_LIMIT: '500MB', log: pino({ level: 'silent' }) }
    const known = await startServer({ ...settings, ...options, PUBLIC_URL: 'https://charts.example.org/coins' })
    try {
      const { render_id, png_url, svg_url } = await (
        await fetch(`${known.url}${snapshot}?metric=price&format=json`)
      ).json()
      const url = `https://charts.example.org/coins/v1/chart/renders/${render_id}`
      expect([png_url, svg_url]).toEqual([`${url}.png`, `${url}.svg`])
      // The picture names the address, too.
      const picture = await fetch(`${known.url}/v1/chart/renders/${render_id}.svg`)
      expect(await picture.text()).toContain('Simulated data · charts.example.org/coins')
    } finally {
      await known.close()
    }
  })

  test('belong to a request, a tier and a generation', async () => {
    const idOf = async (query: string, headers?: Record<string, string>) =>
      (await get(query, headers)).headers.get('x-render-id')
    const id = await idOf('metric=price&days=40')
    expect(await idOf('days=40&metric=price&format=svg')).toBe(id)
    expect(await idOf('metric=price&days=41')).not.toBe(id)
    expect(await idOf('metric=price&days=40', pro)).not.toBe(id)
  })

  test.skipIf(process.platform === 'win32')(
    'are readable by the operator alone, also in a folder that was open to others',
    async () => {
      const folder = path.join(chain.dataDir, 'state', 'renders')
      chmodSync(folder, 0o755)
      const next = await serve(chain.dataDir, withoutLimits)
      const id = (await get('metric=price&days=34', enterprise, next)).headers.get('x-render-id')
      await next.close()
      const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)
      const files = readdirSync(folder).filter((name) => name.startsWith(id!))
      expect([modeOf(folder), ...files.map((name) => modeOf(path.join(folder, name)))]).toEqual(['700', '600', '600'])
    },
  )

  test('survive a restart, and are gone after an hour', async () => {
    const first = await serve(chain.dataDir, withoutLimits)
    const id = (await get('metric=price&days=33', enterprise, first)).headers.get('x-render-id')
    await first.close()
    const second = await serve(chain.dataDir, withoutLimits)
    try {
      const fetched = () => fetch(`${second.url}/v1/chart/renders/${id}.svg`)
      expect((await fetched()).status).toBe(200)
      const folder = path.join(chain.dataDir, 'state', 'renders')
      const files = readdirSync(folder).filter((name) => name.startsWith(id!))
      expect(files.sort()).toEqual([`${id}.chart`, `${id}.png`, `${id}.svg`])
      for (const name of files) {
        const file = path.join(folder, name)
        const old = statSync(file).mtimeMs / 1000 - 3601
        utimesSync(file, old, old)
      }
      expect((await fetched()).status).toBe(404)
      expect((await fetch(`${second.url}/v1/chart/renders/${id}.gif`)).status).toBe(404)
      expect((await fetch(`${second.url}/v1/chart/renders/..%2F${id}.svg`)).status).toBe(404)
    } finally {
      await second.close()
    }
  })
})

describe('who may draw', () => {
  test('tier pro or higher, and what the tier sees', async () => {
    const answers = [
      await get('metric=price', {}),
      await get('metric=price', pro),
      await get('metric=cost_basis_p50', pro),
      await post({ metric: 'price', formulas: [{ expression: 'cost_basis_p50' }] }, pro),
      await post({ metric: 'price', reference_lines: [{ y_formula: 'cost_basis_p50' }] }, pro),
      await get('template=cost_basis_distribution', pro),
      await get('metric=cost_basis_p50'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 403, 403, 403, 403, 200])
  })

  test('with CHART_DEMO=on also callers without a key: 60 days of basic metrics', async () => {
    const demo = await serve(chain.dataDir, { ...withoutLimits, CHART_DEMO: 'on' })
    try {
      expect((await get('metric=sopr', {}, demo)).status).toBe(401)
      const metadata = await (await get('metric=price&days=365&format=json', {}, demo)).json()
      expect([metadata.series[0].count, metadata.history_limited_to]).toEqual([60, '2010-01-08'])
      expect([metadata.series[0].min.only_since, metadata.series[0].max.only_since]).toEqual([
        '2010-01-08',
        '2010-01-08',
      ])
      const again = await (await get('metric=price&days=365&format=json', {}, demo)).json()
      expect(again.history_limited_to).toBe('2010-01-08')
    } finally {
      await demo.close()
    }
  })

  test('a formula over a history that is cut says so, also where the chart begins later', async () => {
    const demo = await serve(chain.dataDir, { ...withoutLimits, CHART_DEMO: 'on' })
    try {
      const limitOf = async (body: object, headers: Record<string, string>) => {
        const response = await fetch(demo.url + snapshot, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ metric: 'price', days: 30, format: 'json', ...body }),
        })
        expect(response.status).toBe(200)
        return (await response.json()).history_limited_to
      }
      for (const body of [
        { formulas: [{ expression: 'cummax(m1)' }] },
        { reference_lines: [{ y_formula: 'cummax(m1)' }] },
        { reference_areas: [{ y1: 0, y2_formula: 'cummax(m1)' }] },
      ]) {
        expect([await limitOf(body, {}), await limitOf(body, enterprise)]).toEqual(['2010-01-08', undefined])
      }
      expect(await limitOf({ reference_lines: [{ y: 1 }] }, {})).toBeUndefined()
    } finally {
      await demo.close()
    }
  })
})

describe('what is drawn', () => {
  // The others are in charts.extended.test.ts.
  test.each(answeredTemplates.filter((_, i) => i % 4 === 0))('template %s', expectTemplate)

  test('templates draw metrics of the catalogue', async () => {
    const { data } = await (await fetch(`${server.url}/v1/metrics?variants=all`, { headers: enterprise })).json()
    const known = new Set<string>(data.map(({ id }: { id: string }) => id))
    const drawn = Object.values(templates).flatMap(({ metrics = [] }) => metrics.map(metricId))
    // A template leaves out the cohorts of years that are not over in the data.
    expect(drawn.filter((id) => !known.has(id) && !/_y20\d\d$/.test(id))).toEqual([])
  })

  test('formulas see earlier ones, keep their unit, and stand on the axis of their metric', async () => {
    const body = {
      metric: 'price',
      formulas: [{ expression: 'sma(m1, 10)' }, { expression: 'f1 * 2', label: 'double' }, { expression: 'm1 / f1' }],
      format: 'json',
    }
    const { series } = await metadataOf(await post(body))
    expect(series.map(({ id, label, unit }) => [id, label, unit])).toEqual([
      ['price', 'Price', 'USD'],
      ['f1', 'sma(m1, 10)', 'USD'],
      ['f2', 'double', 'USD'],
      ['f3', 'm1 / f1', 'ratio'],
    ])
    expect(series[2]!.last!.value).toBeCloseTo(2 * series[1]!.last!.value, 12)
    expect(new Set(series.slice(0, 3).map(({ axis }) => axis.id)).size).toBe(1)
  })

  test('a cycle overlay counts days from the boundary', async () => {
    const body = { metric: 'circulating_supply', x_axis: 'day_offset', format: 'json', days: 100 }
    const { x, series } = await metadataOf(await post(body))
    expect(x).toEqual({ kind: 'day_offset', first: '2009-01-03', last: '2009-04-12' })
    expect(series[0]!.first).toMatchObject({ date: '2009-01-03', day_offset: 0 })
  })

  test('markup in titles and labels is text', async () => {
    const nasty = '<script>alert(1)</script>&amp;"\''
    const response = await post({
      metrics: [{ id: 'price', label: nasty, show_in_legend: true }],
      title: nasty,
      format: 'svg',
    })
    const document = parseSvg(await response.text())
    expect(document.querySelectorAll('script')).toHaveLength(0)
    expect([...document.querySelectorAll('text')].some(({ textContent }) => textContent.includes('<script>'))).toBe(
      true,
    )
  })
})

test('many charts at once leave the data endpoints alone', async () => {
  const drawing = Array.from({ length: 50 }, (_, i) => get(`metric=price&days=${100 + i}&format=svg`))
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => fetch(`${server.url}/v1/prices`, { headers: pro })),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect((await Promise.all(drawing)).every(({ status }) => status === 200)).toBe(true)
  expect(server.log()).toBe('')
})
