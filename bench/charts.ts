import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createTrialKey } from '#accounts/commands.ts'
import { paths } from '#contract/paths.ts'
import { benchChartLibraries } from './chart-libraries.ts'
import { growth, measure, median, megabytes, print } from './report.ts'
import {
  authorization,
  type Child,
  createBenchKey,
  demoDataFolder,
  largeChart,
  residentBytes,
  samplePeakMemory,
  startChild,
} from './served-demo.ts'
import { steadyLoad } from './steady-load.ts'

const chartsPerKind = 60
const concurrentCharts = 50
const manyCharts = 2_000
const memorySamples = 12
const pricesPerSecond = 50
const floodCharts = 200
const otherCharts = 10

/**
 * Drawing beside other libraries, then over HTTP: new, cached, beside other requests, and thousands
 * of charts.
 */
export async function benchCharts(folder: string): Promise<void> {
  await benchChartLibraries()
  const dataDir = await demoDataFolder(folder)
  const key = await createTrialKey({ DATA_DIR: dataDir })
  const api = await startChild('api', dataDir)
  let titles = 0
  const draw = async (format: 'png' | 'svg', title = `Chart ${titles++}`): Promise<void> => {
    const metrics = ['price', 'realized_price', 'price_sma_200']
    const response = await postChart(api, key, { metrics, days: 6_000, width: 1200, height: 600, title, format })
    const later = response.status === 503 ? response.retryAfter : 0
    if (later > 0) {
      // After another caller's large charts, a slow machine expects all charts to take as long.
      await setTimeout(later * 1000)
      return draw(format, title)
    }
    if (response.status !== 200) throw new Error(`a chart was answered with ${response.status}: ${response.text}`)
  }
  const drawMany = async (count: number): Promise<void> => {
    let left = count
    const drawing = async (): Promise<void> => {
      while (left-- > 0) await draw('png')
    }
    await Promise.all(Array.from({ length: concurrentCharts }, drawing))
  }

  try {
    console.log('\ncharts: 1200×600, three series of 6,000 points, one after another')
    for (const format of ['png', 'svg'] as const) await medianMs(10, () => draw(format))
    print('new PNG', `${await medianMs(chartsPerKind, () => draw('png'))} ms`, { aim: '60 ms' })
    print('new SVG', `${await medianMs(chartsPerKind, () => draw('svg'))} ms`, { aim: '30 ms' })
    print('known PNG', `${await medianMs(chartsPerKind, () => draw('png', 'Chart 0'))} ms`, { aim: '5 ms' })

    const prices = {
      origin: api.url,
      paths: ['/v1/prices?limit=100'],
      headers: authorization(key),
      perSecond: pricesPerSecond,
      connections: 10,
    }
    let ended = false
    const load = steadyLoad({ ...prices, seconds: 10 }).finally(() => {
      ended = true
    })
    while (!ended) await drawMany(concurrentCharts)
    const { p50, p99 } = await load
    print(`/v1/prices beside ${concurrentCharts} charts at once`, `p50 ${p50} ms, p99 ${p99} ms`, { aim: 'p99 50 ms' })
    await benchFairness(api, dataDir)
    await printMemory(api, drawMany)
  } finally {
    await api[Symbol.asyncDispose]()
    rmSync(path.join(dataDir, 'state', 'renders'), { recursive: true, force: true })
  }
}

async function postChart({ url }: Child, key: string, body: object) {
  const headers = { ...authorization(key), 'content-type': 'application/json' }
  const response = await fetch(url + paths.chart, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after')), text }
}

async function medianMs(times: number, work: () => Promise<void>): Promise<string> {
  const milliseconds: number[] = []
  for (let i = 0; i < times; i++) milliseconds.push(1000 * (await measure(work)).seconds)
  return median(milliseconds).toFixed(1)
}

async function printMemory(api: Child, drawMany: (count: number) => Promise<void>): Promise<void> {
  const samples: number[] = []
  for (let sample = 0; sample < memorySamples; sample++) {
    await drawMany(Math.ceil(manyCharts / memorySamples))
    samples.push(await residentBytes(api))
  }
  print(`memory over ${manyCharts} charts`, `${samples.map(megabytes).join(', ')} MB`, {
    beside: growth(samples),
    aim: 'flat',
  })
}

/** One caller requests 200 large charts at once while another requests some of default size. */
async function benchFairness(api: Child, dataDir: string): Promise<void> {
  const [many, other] = [
    await createBenchKey(dataDir, 'many@example.org'),
    await createBenchKey(dataDir, 'other@example.org'),
  ]
  const { width, height, scale, ...chart } = largeChart
  const draw = async (key: string, body: object): Promise<{ status: number; milliseconds: number }> => {
    const begin = performance.now()
    const { status } = await postChart(api, key, body)
    return { status, milliseconds: performance.now() - begin }
  }
  await draw(other, { ...chart, title: 'first' })
  const flood = Array.from({ length: floodCharts }, (_, i) =>
    draw(many, { ...largeChart, title: `large ${Date.now()} ${i}` }),
  )
  let ended = false
  const all = Promise.all(flood).finally(() => {
    ended = true
  })
  const memory = samplePeakMemory(api)
  const answers: { status: number; milliseconds: number }[] = []
  await setTimeout(300)
  for (let i = 0; i < otherCharts; i++) answers.push(await draw(other, { ...chart, title: `other ${Date.now()} ${i}` }))
  const wasBeside = !ended
  const flooded = await all
  const drawn = flooded.filter(({ status }) => status === 200).length
  const later = flooded.filter(({ status }) => status === 503).length
  const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds))
  print(`a chart beside ${floodCharts} of another caller`, `slowest of ${otherCharts}: ${slowest.toFixed(0)} ms`, {
    beside: `${wasBeside ? 'all' : 'not all'} beside; of the others ${drawn} drawn, ${later} answered with 503, ${floodCharts - drawn - later} failed`,
    aim: '2000 ms',
  })
  print('', `peak ${megabytes(await memory())} MB resident`, { aim: '1000 MB' })
}
