import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chain, keys, serveChain, server } from '#test/api/support/chain-service.ts'

/** Folder of a Python environment with pandas, Polars, DuckDB, pytest and hatchling. */
const tools = process.env.PYTHON_TOOLS ?? ''
const source = path.join(import.meta.dirname, '../../clients/python')
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-package-'))
const run = promisify(execFile)
const python = async (...parameters: string[]): Promise<string> => {
  const env = { ...process.env, PYTHONPATH: path.join(folder, 'installed'), PYTHONDONTWRITEBYTECODE: '1', ...trial() }
  const { stdout } = await run(path.join(tools, 'python'), parameters, { env, cwd: folder })
  return stdout
}
const trial = () => ({
  TRIAL_URL: server?.url,
  TRIAL_KEY: keys.get('enterprise')?.authorization?.replace('Bearer ', ''),
  TRIAL_FOLDER: chain?.dataDir,
})

const notebookSchema = z.object({
  cells: z.array(z.object({ cell_type: z.string(), source: z.array(z.string()) })),
})

const isReady = tools !== '' && existsSync(path.join(tools, 'hatchling'))

describe.skipIf(!isReady)('the Python package', () => {
  serveChain()
  beforeAll(async () => {
    await run(path.join(tools, 'pip'), ['wheel', '-q', '--no-deps', '--no-build-isolation', '-w', folder, source])
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'))!
    const target = path.join(folder, 'installed')
    await run(path.join(tools, 'pip'), ['install', '-q', '--no-deps', '--target', target, path.join(folder, wheel)])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('passes its own tests, against a service and the folder that it serves', async () => {
    const tests = path.join(source, 'tests')
    const report = await python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', tests).catch(({ stdout }) => stdout)
    expect(report).toMatch(/^\d+ passed in/m)
  })

  test('does what its README says, against a service and against a folder', async () => {
    const [, example = ''] = /```python\n([\s\S]*?)```/.exec(readFileSync(path.join(source, 'README.md'), 'utf8')) ?? []
    const { TRIAL_URL, TRIAL_KEY, TRIAL_FOLDER } = trial()
    const connection = /connect\(.*?\)/
    expect(example).toMatch(connection)
    // In one process, because importing pandas and Polars takes seconds.
    const programs = [`connect("${TRIAL_URL}", key="${TRIAL_KEY}")`, `connect(folder="${TRIAL_FOLDER}")`].map((place) =>
      example.replace(connection, place).replace('2020-01-01', '2009-01-03'),
    )
    const printed = await python('-c', programs.join('\n'))
    expect(printed.split("{'sth_mvrv': 'ratio', 'price': 'USD'}")).toHaveLength(1 + programs.length)
  })

  test('computes the bands of its notebook, against a service and against a folder', async () => {
    const notebook: unknown = JSON.parse(readFileSync(path.join(source, 'sth-bands.ipynb'), 'utf8'))
    const cells = notebookSchema.parse(notebook).cells.filter(({ cell_type }) => cell_type === 'code')
    // The last one draws, with Matplotlib.
    const code = cells.slice(0, -1).map(({ source: lines }) => lines.join(''))
    const { TRIAL_URL, TRIAL_KEY, TRIAL_FOLDER } = trial()
    const programs = [
      { COINSTRATA_URL: TRIAL_URL, COINSTRATA_KEY: TRIAL_KEY },
      { COINSTRATA_FOLDER: TRIAL_FOLDER },
    ].flatMap((place) => [
      "import os; [os.environ.pop(name) for name in list(os.environ) if name.startswith('COINSTRATA_')]",
      `os.environ.update(${JSON.stringify({ ...place, COINSTRATA_START: '2009-01-03' })})`,
      ...code,
    ])
    const printed = await python('-c', programs.join('\n'))
    const bands = /^\{'sth_mvrv': 'ratio', 'price': 'USD'\} .*\n\d+ of \d+ days below the lower band$/gm
    expect(printed.match(bands), printed).toHaveLength(2)
  })
})
