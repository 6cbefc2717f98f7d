import { Resvg } from '@resvg/resvg-js'
import { median } from 'd3-array'
import * as echarts from 'echarts'
import * as vega from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import { isoDate, msPerDay } from '#base/days.ts'
import { drawChart } from '#render/draw/chart.ts'
import { fontFiles } from '#render/output/font-files.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { convertToPng } from '#render/output/png.ts'
import type { ChartRequest } from '#render/request/request.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { measure, print } from './report.ts'

const size = { width: 1_200, height: 600 }
const rounds = 9
/** 2010-07-17. */
const firstDay = 14_807

interface Picture {
  readonly name: string
  readonly request: ChartRequest
  readonly echarts: echarts.EChartsOption
  readonly vegaLite: TopLevelSpec
}

/** Draws three charts with our code, ECharts and Vega-Lite; prints CPU time as SVG and PNG. */
export async function benchCharts(): Promise<void> {
  console.log(`\ncharts: ${size.width}×${size.height}, CPU milliseconds, half of ${rounds} times`)
  for (const picture of [
    seriesPicture('lines, 2 × 6,000', 2, false),
    seriesPicture('stack, 12 × 6,000', 12, true),
    heatmapPicture(),
  ]) {
    const own = () => serializeSvg(drawChart(buildSpecification(picture.request), nodePlatform).svg)
    const others = [
      ['ECharts', async () => drawECharts(picture.echarts)],
      ['Vega-Lite', () => drawVegaLite(picture.vegaLite)],
    ] as const
    const ownSvg = await cpuTime(async () => own())
    const ownPng = await cpuTime(() => convertToPng(own()))
    const svg: string[] = []
    const png: string[] = []
    for (const [name, draw] of others) {
      svg.push(`${name} ${(await cpuTime(draw)).toFixed(0)} ms`)
      png.push(`${name} + resvg ${(await cpuTime(async () => rasterize(await draw()))).toFixed(0)} ms`)
    }
    print(`${picture.name}, SVG`, `${ownSvg.toFixed(0)} ms`, { beside: svg.join(', '), aim: 'ahead' })
    const byResvg = await cpuTime(async () => rasterize(own()))
    print(`${picture.name}, PNG`, `${ownPng.toFixed(0)} ms (by resvg ${byResvg.toFixed(0)} ms)`, {
      beside: png.join(', '),
      aim: 'ahead',
    })
  }
}

function rasterize(svg: string): Uint8Array {
  const font = { loadSystemFonts: false, fontFiles: Object.values(fontFiles).map(({ pathname }) => pathname) }
  return new Resvg(svg, { font: { ...font, defaultFontFamily: 'Inter' } }).render().asPng()
}

function drawECharts(option: echarts.EChartsOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...size })
  chart.setOption({ animation: false, ...option })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

async function drawVegaLite(specification: TopLevelSpec): Promise<string> {
  const view = new vega.View(vega.parse(compile(specification).spec), { renderer: 'none' })
  const svg = await view.toSVG()
  view.finalize()
  return svg
}

/** Median, in ms. */
async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = -3; round < rounds; round++) {
    const { cpuSeconds } = await measure(work)
    if (round >= 0) times.push(1_000 * cpuSeconds)
  }
  return median(times)!
}

const createDays = (count: number) => Int32Array.from({ length: count }, (_, i) => firstDay + i)
const instant = (day: number): number => day * msPerDay

/** A deterministic random walk. */
function walk(count: number, seed: number): Float64Array {
  let state = seed
  let value = 100
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    value *= 1 + 0.04 * (state / 2 ** 32 - 0.495)
    return value
  })
}

const baseRequest = (title: string, days: Int32Array) =>
  ({ ...size, title, source: '', x: { kind: 'date', days } }) as const

function seriesPicture(name: string, count: number, stacked: boolean): Picture {
  const days = createDays(6_000)
  const named = Array.from({ length: count }, (_, i) => ({
    id: `s${i}`,
    label: `Series ${i + 1}`,
    values: walk(days.length, i + 1),
  }))
  return {
    name,
    request: {
      ...baseRequest(name, days),
      series: named.map((one) => ({ ...one, unit: 'BTC', ...(stacked && { stacked, style: 'area' as const }) })),
    },
    echarts: {
      title: { text: name },
      legend: {},
      xAxis: { type: 'time' },
      yAxis: { type: 'value' },
      series: named.map(({ label, values }) => ({
        type: 'line' as const,
        name: label,
        showSymbol: false,
        ...(stacked && { stack: 'all', areaStyle: {} }),
        data: Array.from(values, (value, i) => [instant(days[i]!), value]),
      })),
    },
    vegaLite: {
      ...size,
      title: name,
      data: {
        values: named.flatMap(({ label, values }) =>
          Array.from(values, (value, i) => ({ date: instant(days[i]!), series: label, value })),
        ),
      },
      mark: stacked ? 'area' : 'line',
      encoding: {
        x: { field: 'date', type: 'temporal' },
        y: { field: 'value', type: 'quantitative' },
        color: { field: 'series', type: 'nominal' },
      },
    },
  }
}

function heatmapPicture(): Picture {
  const name = 'heatmap, 365 × 100'
  const days = createDays(365)
  const bins = 100
  const price = walk(days.length, 1)
  const edges = Float64Array.from({ length: bins + 1 }, (_, bin) => 2 * bin)
  const values = Float64Array.from({ length: days.length * bins }, (_, i) => {
    const distance = (price[Math.floor(i / bins)]! - edges[i % bins]!) / 20
    return Math.round(1e6 * Math.exp(-(distance ** 2))) / 10
  })
  const cells = Array.from(values, (value, i) => ({ day: Math.floor(i / bins), bin: i % bins, value }))
  return {
    name,
    request: {
      ...baseRequest(name, days),
      series: [],
      heatmap: {
        id: 'h',
        label: 'Supply',
        unit: 'BTC',
        binLower: edges.slice(0, bins),
        binUpper: edges.slice(1),
        values,
      },
    },
    echarts: {
      title: { text: name },
      xAxis: { type: 'category', data: Array.from(days, isoDate) },
      yAxis: { type: 'category', data: Array.from(edges.slice(0, bins), String) },
      visualMap: { min: 0, max: 100_000, inRange: { color: ['#440154', '#21918c', '#fde725'] } },
      series: [{ type: 'heatmap', data: cells.map(({ day, bin, value }) => [day, bin, value]) }],
    },
    vegaLite: {
      ...size,
      title: name,
      data: { values: cells.map(({ day, bin, value }) => ({ date: isoDate(days[day]!), price: edges[bin], value })) },
      mark: 'rect',
      encoding: {
        x: { field: 'date', type: 'ordinal', axis: { labelOverlap: true } },
        y: { field: 'price', type: 'ordinal', sort: 'descending', axis: { labelOverlap: true } },
        color: { field: 'value', type: 'quantitative', scale: { scheme: 'viridis' } },
      },
    },
  }
}
