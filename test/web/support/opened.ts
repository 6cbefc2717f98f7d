import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { ServerOptions } from '#api/services.ts'
import type { ServedChain } from '#test/api/support/served-chain.ts'
import type { TestServer } from '#test/api/support/test-server.ts'
import { browserTest, servePages } from '#test/support/shared-browser.ts'

declare global {
  interface Window {
    /** Defined when `axeSource` has run. */
    readonly axe: {
      readonly run: (context: Document, options: object) => Promise<AxeResults>
      readonly _audit: { readonly rules: readonly { readonly id: string; readonly impact: string }[] }
    }
  }
}

/** A server of the built pages with test data, and one page of a real browser. */
export let chain: ServedChain
export let server: TestServer
export let page: Page
/** The developer tools of the page. */
export let tools: CDPSession
/** Console errors and warnings, including violations of the content security policy. */
export const complaints: string[] = []

const desktop = { width: 1440, height: 900 }
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Opens a page for all tests of a file, in a context of its own of the browser of the worker. It is
 * served by the service that the worker shares; with `settings`, which are environment variables,
 * or `inside`, other server options, by one of the file itself.
 */
export function openPages(settings?: Readonly<Record<string, string>>, inside: Partial<ServerOptions> = {}): void {
  let context: BrowserContext
  let close: (() => Promise<void>) | undefined
  if (settings) {
    beforeAll(async () => {
      const own = await servePages(settings, inside)
      ;({ chain, server, close } = own)
    })
  } else {
    browserTest.beforeAll(({ openService }) => {
      ;({ chain, server } = openService)
    })
  }
  browserTest.beforeAll(async ({ chromium }) => {
    complaints.length = 0
    context = await chromium.newContext({ baseURL: server.url, viewport: desktop })
    page = await context.newPage()
    tools = await context.newCDPSession(page)
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
  })
  // A test that fails leaves the next one no network of its own and no narrow window.
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.setViewportSize(desktop)
  })
  afterAll(async () => {
    await context?.close()
    await close?.()
  })
}

/** Opens an address and waits until it has loaded what is in view. */
export async function open(path: string): Promise<void> {
  await page.goto(path)
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await settle()
}

/** Goes to an address within the open document, which takes a third of what loading it takes. */
export async function visit(path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await settle()
}

/**
 * Waits until what is in view has loaded and its charts are drawn. On a busy machine half a second
 * without requests may pass before all of them are sent.
 */
export async function settle(): Promise<void> {
  // Effects of the last action run after a frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
  await page.waitForFunction(() => {
    const loading = [...document.querySelectorAll('main :is(.waiting, .chart-waiting, .skeleton, [aria-busy=true])')]
    const boxes = loading.map((one) => one.getBoundingClientRect())
    return boxes.every(({ top, bottom, height }) => height === 0 || bottom <= 0 || top >= innerHeight)
  })
}

/** Serious findings of axe, each with its first element. */
export async function findings(rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await tools.send('Runtime.evaluate', { expression: axeSource })
  return page.evaluate(async (only) => {
    const isSerious = (impact: string): boolean => impact === 'serious' || impact === 'critical'
    const others = window.axe._audit.rules.filter(({ impact }) => !isSerious(impact))
    const results = await window.axe.run(document, {
      // Do not fetch styles again: these rules do not need them, and an embedded chart may not.
      preload: false,
      resultTypes: ['violations'],
      // Each rule has one impact.
      rules: Object.fromEntries(others.map(({ id }) => [id, { enabled: false }])),
      ...(only && { runOnly: only }),
    })
    // Passes are many times larger, and take long to send.
    return results.violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html} (${nodes[0]?.failureSummary})`,
    )
  }, rules)
}

/** Visible elements that can have focus but that Tab does not reach. */
export async function unreachable(): Promise<string[]> {
  const focusable = 'a[href], button:not(:disabled), input, select, textarea, summary, [tabindex="0"]'
  await page.evaluate((selector) => {
    const shown = [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility())
    for (const one of shown) one.dataset.unreached = ''
    ;(document.activeElement as HTMLElement | null)?.blur()
    document.addEventListener('focusin', ({ target }) => delete (target as HTMLElement).dataset.unreached)
  }, focusable)
  for (let presses = 0; ; presses++) {
    if (presses % 16 === 0) {
      const { left, all } = await page.evaluate((selector) => {
        const unreached = [...document.querySelectorAll<HTMLElement>('[data-unreached]')]
        return {
          left: unreached.map((one) => one.outerHTML.slice(0, 200)),
          // Charts that load when they are near add many more elements, and some parts can be scrolled.
          all: document.querySelectorAll(selector).length,
        }
      }, focusable)
      if (left.length === 0 || presses > 3 * all + 100) return left
    }
    await page.keyboard.press('Tab')
  }
}

/** Pixels by which the page is wider than the window. */
export const overflow = (): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

/** Visible controls smaller than a finger needs, 44 pixels; checkboxes count with their label. */
export const smallControls = (): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button:not(.skip), input, select, summary, nav a, a.pill, footer a')]
      .map((one) => (one.matches('[type=checkbox], [type=radio]') ? (one.closest('label') ?? one) : one))
      .filter((one) => one.checkVisibility() && !one.closest('[aria-hidden]'))
      .filter((one) => Math.min(one.getBoundingClientRect().height, one.getBoundingClientRect().width) < 43.5)
      .map((one) => `${one.outerHTML.slice(0, 90)} ${JSON.stringify(one.getBoundingClientRect())}`),
  )
