import { expect } from 'vitest'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { packChart } from '#web/chart/chart-body.ts'
import { open, page, tools } from './opened.ts'

declare global {
  interface Window {
    readScripts?: () => readonly string[]
    /** The scripts that had arrived before the first chart. */
    early?: readonly string[] | undefined
    /** Shifts of the layout. */
    jumps?: (PerformanceEntry & { readonly value: number })[]
  }
}

/** Values for `{name}` in page addresses. */
const examples: Readonly<Record<string, string>> = {
  id: 'mvrv',
  name: 'market-data',
  chart: await packChart({ metrics: ['price', 'realized_price'], title: 'Price and cost', range: '1y' }),
}
/** Alerts have a chart when something is watched, signals when there is a condition. */
const templates = { ...pages, alerts: '/alerts?watch=mvrv', signals: '/signals?if=mvrv+%3E+2', embed: paths.embed }

export type AnyPage = keyof typeof templates

export const pageNames = Object.keys(templates) as AnyPage[]

export const addressOf = (name: AnyPage): string =>
  templates[name].replaceAll(/\{(\w+)\}/g, (_, part: string) => {
    const example = examples[part]
    if (example === undefined) throw new Error(`add an example for {${part}} to examples`)
    return example
  })

/** Only these rules of axe depend on colors. */
export const rulesOfColours = ['color-contrast', 'link-in-text-block']

/** Lets every document record shifts of its layout, and the scripts before its first chart. */
export async function recordLoading(): Promise<void> {
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      window.jumps = [...(window.jumps ?? []), ...(list.getEntries() as NonNullable<typeof window.jumps>)]
    }).observe({ type: 'layout-shift', buffered: true })
    window.readScripts = () => {
      const names = performance.getEntriesByType('resource').map(({ name }) => name)
      return [...new Set(names)].filter((name) => name.endsWith('.js'))
    }
    new MutationObserver(() => {
      if (document.querySelector('.picture > svg, .thumbnail svg')) window.early ??= window.readScripts?.()
    }).observe(document, { childList: true, subtree: true })
  })
}

/** Opens a page whose answers come late. Fails if its layout jumps meanwhile. */
export async function openWithoutJumps(name: AnyPage): Promise<void> {
  // A route would also empty the cache, and fetch and compile all scripts for each page.
  const delay = ({ requestId }: { readonly requestId: string }) =>
    setTimeout(() => tools.send('Fetch.continueRequest', { requestId }).catch(() => undefined), 150)
  tools.on('Fetch.requestPaused', delay)
  await tools.send('Fetch.enable', { patterns: [{ urlPattern: '*/v1/*' }] })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' })
  await open(addressOf(name))
  const jumps = await page.evaluate(() => (window.jumps ?? []).map((jump) => ({ ...jump.toJSON(), value: jump.value })))
  const total = jumps.reduce((sum, { value }) => sum + value, 0)
  expect(total, `at ${page.viewportSize()?.width}: ${JSON.stringify(jumps)}`).toBeLessThan(0.1)
  await tools.send('Fetch.disable')
  tools.off('Fetch.requestPaused', delay)
  await page.emulateMedia({ reducedMotion: 'reduce' })
}

/**
 * Shows each part of a page once, because charts load when they are near; of the list of metrics,
 * the page has only the rows that are near.
 */
export async function scrollThrough(name: AnyPage): Promise<void> {
  if (name === 'metrics') return
  await page.evaluate(async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight / 2) {
      scrollTo(0, y)
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
    }
    scrollTo(0, 0)
  })
}
