import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The real browser of this machine: `chromium` or `google-chrome` on PATH, or the program in CHROMIUM; its whole path. */
export const browser: string | undefined = await findBrowser()

async function findBrowser(): Promise<string | undefined> {
  for (const program of [process.env.CHROMIUM, 'chromium', 'google-chrome']) {
    if (!program) continue
    const answer = await run(program, ['--version']).catch(() => undefined)
    if (answer) return placeOf(program)
  }
  return undefined
}

function placeOf(program: string): string | undefined {
  if (path.isAbsolute(program)) return program
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file))
}

/** The document of a page, as HTML, once its scripts have run. */
export function renderedPage(program: string, url: string): Promise<string> {
  return withPage(program, url, ['--dump-dom'], async (html) => html)
}

/** A PNG file of what a page shows in a window of this size, once its scripts have run. */
export function pictureOfPage(
  program: string,
  url: string,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-picture-'))
  const file = path.join(folder, 'page.png')
  // Without the last one a busy machine takes the picture before all fonts and images are in it.
  const options = [
    `--screenshot=${file}`,
    `--window-size=${width},${height}`,
    '--hide-scrollbars',
    '--run-all-compositor-stages-before-draw',
  ]
  return withPage(program, url, options, async () => readFileSync(file)).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  )
}

async function withPage<T>(
  program: string,
  url: string,
  options: readonly string[],
  read: (output: string) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-browser-'))
  try {
    const { stdout } = await run(
      program,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--user-data-dir=${profile}`,
        '--virtual-time-budget=10000',
        ...options,
        url,
      ],
      { maxBuffer: 2 ** 26, timeout: 50_000 },
    )
    return await read(stdout)
  } finally {
    rmSync(profile, { recursive: true, force: true })
  }
}
