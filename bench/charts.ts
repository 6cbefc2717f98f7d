import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createTrialKey } from '#accounts/commands.ts'
import { benchChartLibraries } from './chart-libraries.ts'
import { benchFairness } from './fair-charts.ts'
import { print } from './report.ts'
import { type Child, demoDataFolder, residentBytes, startChild, stop } from './served-demo.ts'
import { steadyLoad } from './steady-load.ts'

const chartsEach = 60
const concurrentCharts = 50
const manyCharts = 2_000
const memorySamples = 12
const pricesPerSecond = 50

/**
 * Drawing beside other libraries; then charts of three series of 6,000 points over HTTP: new and known ones, beside
 * other requests and other callers, and very many.
 */
export async function benchCharts(folder: string): Promise<void> {
  await benchChartLibraries()
  const dataDir = await demoDataFolder(folder)
  const key = await createTrialKey({ DATA_DIR: dataDir })
  const api = await startChild('api', dataDir)
  const headers = { authorization: `Bearer ${key}` }
  let titles = 0
  const draw = async (format: 'png' | 'svg', title = `Chart ${titles++}`): Promise<void> => {
    const metrics = ['price', 'realized_price', 'price_sma_200']
    const response = await fetch(`${api.url}/v1/chart/snapshot`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ metrics, days: 6_000, width: 1200, height: 600, title, format }),
    })
    const bytes = await response.arrayBuffer()
    const later = response.status === 503 ? Number(response.headers.get('retry-after')) : 0
    if (later > 0) {
      // After the large charts of another caller, a slow machine expects of the usual ones that they take as long.
      await setTimeout(later * 1000)
      return draw(format, title)
    }
    if (!response.ok) throw new Error(`a chart was answered with ${response.status}: ${Buffer.from(bytes)}`)
  }
  /** Draws this many charts, always some at once. */
  const drawMany = async (count: number): Promise<void> => {
    let left = count
    const drawing = async (): Promise<void> => {
      while (left-- > 0) await draw('png')
    }
    await Promise.all(Array.from({ length: concurrentCharts }, drawing))
  }

  try {
    console.log('\ncharts: 1200×600, three series of 6,000 points, one after another')
    for (const format of ['png', 'svg'] as const) await medianOf(10, () => draw(format))
    print({ work: 'new PNG', figure: `${await medianOf(chartsEach, () => draw('png'))} ms`, aim: '60 ms' })
    print({ work: 'new SVG', figure: `${await medianOf(chartsEach, () => draw('svg'))} ms`, aim: '30 ms' })
    print({ work: 'known PNG', figure: `${await medianOf(chartsEach, () => draw('png', 'Chart 0'))} ms`, aim: '5 ms' })

    const prices = { url: `${api.url}/v1/prices?limit=100`, headers, perSecond: pricesPerSecond, connections: 10 }
    let ended = false
    const load = steadyLoad({ ...prices, seconds: 10 }).finally(() => {
      ended = true
    })
    while (!ended) await drawMany(concurrentCharts)
    const { p50, p99 } = await load
    print({
      work: `/v1/prices beside ${concurrentCharts} charts at once`,
      figure: `p50 ${p50} ms, p99 ${p99} ms`,
      aim: 'p99 50 ms',
    })
    await benchFairness(api, dataDir)
    await printMemory(api, drawMany)
  } finally {
    await stop(api)
    rmSync(path.join(dataDir, 'state', 'renders'), { recursive: true, force: true })
  }
}

/** Milliseconds that `work` takes, half of the times. */
async function medianOf(times: number, work: () => Promise<void>): Promise<string> {
  const milliseconds: number[] = []
  for (let i = 0; i < times; i++) {
    const begin = performance.now()
    await work()
    milliseconds.push(performance.now() - begin)
  }
  return milliseconds.sort((a, b) => a - b)[Math.floor(times / 2)]!.toFixed(1)
}

async function printMemory(api: Child, drawMany: (count: number) => Promise<void>): Promise<void> {
  const megabytes: number[] = []
  for (let sample = 0; sample < memorySamples; sample++) {
    await drawMany(Math.ceil(manyCharts / memorySamples))
    megabytes.push((await residentBytes(api)) / 1e6)
  }
  const third = memorySamples / 3
  const mean = (from: number): number => megabytes.slice(from, from + third).reduce((sum, one) => sum + one, 0) / third
  print({
    work: `memory over ${manyCharts} charts`,
    figure: `${megabytes.map((one) => one.toFixed(0)).join(', ')} MB`,
    beside: `last third ${(100 * (mean(2 * third) / mean(third) - 1)).toFixed(1)} % above the middle one`,
    aim: 'flat',
  })
}
