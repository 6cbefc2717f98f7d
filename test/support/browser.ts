import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Path of a real browser: CHROMIUM, or `chromium` or `google-chrome` on PATH. */
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

/** The HTML of a page after its scripts have run. */
export async function renderedPage(program: string, url: string): Promise<string> {
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
        '--dump-dom',
        url,
      ],
      { maxBuffer: 2 ** 26, timeout: 50_000 },
    )
    return stdout
  } finally {
    rmSync(profile, { recursive: true, force: true })
  }
}
