import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import sharp from 'sharp'
import { CoinstrataError } from '#base/errors.ts'
import { replaceFile } from '#sql/files.ts'

interface PageShot {
  readonly at: string
  readonly theme: 'light' | 'dark'
  readonly width: number
  readonly height: number
}

const wide = { theme: 'light', width: 1440, height: 1000 } as const
const dark = { ...wide, theme: 'dark' } as const

/** Pictures of docs/pages.md by file name in docs/web. */
const shots: Readonly<Record<string, PageShot>> = {
  today: { ...wide, at: '/' },
  metric: { ...dark, at: '/metrics/mvrv?range=all' },
  metrics: { ...wide, at: '/metrics?q=what+did+short+term+holders+pay' },
  workbench: { ...wide, at: '/workbench?metrics=price,realized_price,mvrv&range=cycle' },
  cycles: { ...dark, at: '/cycles' },
  markets: { ...wide, at: '/markets' },
  'today-phone': { at: '/', theme: 'dark', width: 390, height: 844 },
}

/** `link` is the one that `npm start` prints with simulated data; it gives access to all pages. */
async function writePictures(link: string | undefined, executablePath: string | undefined): Promise<void> {
  if (link === undefined || executablePath === undefined) {
    throw new CoinstrataError('invalid_argument', 'the link of the simulated data or the browser is missing', {
      cure: 'run "npm start", give the link that it prints as the argument, and set CHROMIUM to the path of a Chromium',
    })
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const signedIn = await browser.newContext()
    await (await signedIn.newPage()).goto(link)
    const storageState = await signedIn.storageState()
    for (const [name, one] of Object.entries(shots)) {
      const picture = await capturePage(browser, storageState, new URL(one.at, link).href, one)
      const file = path.join(import.meta.dirname, 'web', `${name}.png`)
      replaceFile(file, await sharp(picture).png({ palette: true, colours: 128, effort: 10 }).toBuffer())
    }
  } finally {
    await browser.close()
  }
}

type StorageState = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>

async function capturePage(
  browser: Browser,
  storageState: StorageState,
  url: string,
  { theme: colorScheme, width, height }: PageShot,
): Promise<Uint8Array> {
  const context = await browser.newContext({ storageState, colorScheme, viewport: { width, height } })
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('main h1').first().waitFor()
  await page.locator('main svg').first().waitFor()
  await page.waitForLoadState('networkidle')
  // The lines of lists are drawn one at a time.
  await page.waitForTimeout(3_000)
  const picture = await page.screenshot()
  await context.close()
  return picture
}

await writePictures(process.argv[2], process.env.CHROMIUM)
