import { setTimeout } from 'node:timers/promises'
import type { Browser } from 'playwright-core'

export interface Pace {
  readonly name: string
  /** Bits per second, and request delay in ms; undefined for loopback. */
  readonly line: { readonly down: number; readonly up: number; readonly latency: number } | undefined
  readonly slowdown: number
}

export const loopback: Pace = { name: 'loopback', line: undefined, slowdown: 1 }
/** Chromium's Fast 4G, with a processor four times as slow. */
export const phone: Pace = {
  name: '4G, 4× slower CPU',
  line: { down: 8_100_000, up: 1_350_000, latency: 165 },
  slowdown: 4,
}
/** Lighthouse's assumption. */
export const slowPhone: Pace = {
  name: 'Lighthouse 4G, 4× slower CPU',
  line: { down: 1_638_400, up: 750_000, latency: 150 },
  slowdown: 4,
}

export interface FirstChart {
  /** Since navigation started. */
  readonly milliseconds: number
  /** Received until then by resource type, including headers. */
  readonly bytes: Readonly<Record<string, number>>
}

declare global {
  interface Window {
    firstChart?: number
  }
}

/** Runs before the page's scripts; records when the first chart is painted. */
function watchFirstChart(): void {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('.picture > svg')) return
    observer.disconnect()
    const channel = new MessageChannel()
    channel.port1.onmessage = () => {
      window.firstChart = performance.now()
    }
    requestAnimationFrame(() => channel.port2.postMessage(undefined))
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** A page with empty caches, closed at the end of an `await using` block. */
async function openFresh(browser: Browser, { line, slowdown }: Pace) {
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
  const tools = await page.context().newCDPSession(page)
  await page.addInitScript(watchFirstChart)
  if (line) {
    await tools.send('Network.enable')
    await tools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: line.latency,
      downloadThroughput: line.down / 8,
      uploadThroughput: line.up / 8,
    })
  }
  await tools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  return { page, tools, [Symbol.asyncDispose]: () => page.close() }
}

export async function firstChart(browser: Browser, url: string, pace: Pace): Promise<FirstChart> {
  await using fresh = await openFresh(browser, pace)
  const { page, tools } = fresh
  const kinds = new Map<string, string>()
  const bytes: Record<string, number> = {}
  let isSeen = false
  await tools.send('Network.enable')
  tools.on('Network.responseReceived', ({ requestId, type }) => void kinds.set(requestId, type))
  tools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'Other'
    if (!isSeen) bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength
  })
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(() => window.firstChart !== undefined, undefined, { polling: 100 })
  isSeen = true
  return { milliseconds: (await page.evaluate(() => window.firstChart)) ?? Number.NaN, bytes }
}

const gestureIntervalMs = 16

/** Frames per second while a chart is dragged and zoomed. Input does not wait for the page. */
export async function measureFrameRates(
  browser: Browser,
  url: string,
  pace: Pace,
  seconds: number,
): Promise<{ readonly drag: number; readonly zoom: number }> {
  await using fresh = await openFresh(browser, pace)
  const { page, tools } = fresh
  await page.goto(url)
  await page.waitForFunction(() => window.firstChart !== undefined)
  await page.waitForLoadState('networkidle')
  const box = await page.locator('.chart .box').boundingBox()
  if (!box) throw new Error(`no chart stands at ${url}`)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const framesWhile = async (gesture: (part: number) => Promise<unknown>): Promise<number> => {
    // The first gesture loads the whole history.
    await gesture(0)
    await page.waitForTimeout(1_000)
    await browser.startTracing(page, { categories: ['viz'] })
    const begin = performance.now()
    const sent: Promise<unknown>[] = []
    for (let part = 0; part < 1; part = (performance.now() - begin) / (1_000 * seconds)) {
      sent.push(gesture(part))
      await setTimeout(gestureIntervalMs)
    }
    const spent = performance.now() - begin
    const { traceEvents } = JSON.parse(String(await browser.stopTracing()))
    await Promise.all(sent)
    const frames = traceEvents.filter(({ name }: { name: string }) => name === 'DirectRenderer::DrawFrame').length
    return (1_000 * frames) / spent
  }
  // With Shift, a mouse moves the days.
  const mouse = { x, y, button: 'left', buttons: 1, modifiers: 8 } as const
  await tools.send('Input.dispatchMouseEvent', { ...mouse, type: 'mousePressed', clickCount: 1 })
  const drag = await framesWhile((part) =>
    tools.send('Input.dispatchMouseEvent', {
      ...mouse,
      type: 'mouseMoved',
      x: x + 5 + 100 * Math.sin(20 * part + 0.5),
    }),
  )
  await tools.send('Input.dispatchMouseEvent', { ...mouse, type: 'mouseReleased', clickCount: 1 })
  await page.waitForTimeout(1_000)
  const control = 2
  const zoom = await framesWhile((part) =>
    tools.send('Input.dispatchMouseEvent', {
      type: 'mouseWheel',
      x,
      y,
      deltaX: 0,
      deltaY: part < 0.5 ? -8 : 8,
      modifiers: control,
    }),
  )
  return { drag, zoom }
}
