import { type Browser, chromium } from 'playwright-core'
import { browser as program } from '#test/support/browser.ts'
import { buildWeb } from '#web/build/build.ts'
import {
  type FirstChart,
  firstChart,
  loopback,
  measureFrameRates,
  type Pace,
  phone,
  slowPhone,
} from './browser-page.ts'
import { print } from './report.ts'
import { demoDataFolder, startChild } from './served-demo.ts'

const visits = 7
/** First charts show nearly whole histories. */
const addresses = { Today: '/', 'a metric': '/metrics/mvrv', 'the workbench': '/workbench?metrics=price,mvrv' }
/** Nearly whole histories of five series, with room to drag. */
const fullSeries = '/workbench?metrics=price,realized_price,mvrv,sopr,lth_supply&from=2011-01-01&to=2026-01-01'
const gestureSeconds = 4

const aims = new Map([
  [loopback, '1.0 s'],
  [phone, '2.5 s'],
])

/** First charts and gestures of built pages in a real browser, over the demo chain. */
export async function benchWeb(folder: string): Promise<void> {
  if (program === undefined) throw new Error('no browser to measure in: install chromium, or name one in CHROMIUM')
  const dataDir = await demoDataFolder(folder)
  await buildWeb()
  await using api = await startChild('open', dataDir)
  await using browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
  console.log(`\nweb: ${visits} first visits each, Chromium ${browser.version()}`)
  for (const [name, address] of Object.entries(addresses)) {
    for (const pace of [loopback, phone, slowPhone]) await printFirstChart(browser, name, api.url + address, pace)
  }
  for (const pace of [loopback, phone]) {
    const { drag, zoom } = await measureFrameRates(browser, api.url + fullSeries, pace, gestureSeconds)
    print(`five full series, ${pace.name}`, `${drag.toFixed(0)} frames/s dragged, ${zoom.toFixed(0)} zoomed`, {
      aim: pace === phone ? '30' : undefined,
    })
  }
}

async function printFirstChart(browser: Browser, name: string, url: string, pace: Pace): Promise<void> {
  const seen: FirstChart[] = []
  for (let visit = 0; visit < visits; visit++) seen.push(await firstChart(browser, url, pace))
  const seconds = seen.map(({ milliseconds }) => milliseconds / 1_000).sort((a, b) => a - b)
  const bytes = Object.entries(seen[0]?.bytes ?? {}).map(([kind, of]) => `${kind.toLowerCase()} ${kilobytes(of)}`)
  const all = Object.values(seen[0]?.bytes ?? {}).reduce((sum, one) => sum + one, 0)
  const figure = `median ${seconds[Math.floor(visits / 2)]?.toFixed(2)} s, best ${seconds[0]?.toFixed(2)} s`
  const beside = `${kilobytes(all)} kB: ${bytes.join(', ')}`
  print(`first chart of ${name}, ${pace.name}`, figure, { beside, aim: aims.get(pace) })
}

const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(0)
