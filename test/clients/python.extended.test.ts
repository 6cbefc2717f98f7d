import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { chain, keys, serveChain, server } from '#test/api/support/chain-service.ts'
import { firstDay } from '#test/api/support/served-chain.ts'
import { serve } from '#test/api/support/test-server.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

/** Folder of a Python environment with openapi-python-client and schemathesis. */
const tools = process.env.PYTHON_TOOLS
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-python-'))
const run = promisify(execFile)

if (tools) serveChain()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(!tools)('a client that openapi-python-client generates reads the service', async () => {
  const document = path.join(folder, 'openapi.json')
  writeFileSync(document, await (await fetch(`${server.url}/docs`)).text())
  const generated = path.join(folder, 'generated')
  const generate = ['generate', '--path', document, '--output-path', generated, '--meta', 'none']
  const { stdout } = await run(path.join(tools ?? '', 'openapi-python-client'), generate)
  // It reports that it leaves the code unformatted without ruff.
  expect(stdout).not.toMatch(/Cannot parse|Unsupported|ERROR/)
  const limited = await serve(chain.dataDir, { REQUESTS_PER_MINUTE: '2' })
  try {
    const key = keys.get('enterprise')!.authorization!.replace('Bearer ', '')
    const trial = path.join(import.meta.dirname, 'trial.py')
    const options = { env: { ...process.env, PYTHONPATH: folder } }
    const asked = [trial, server.url, limited.url, key, isoDate(firstDay)]
    const answer = await run(path.join(tools ?? '', 'python'), asked, options)
    const [[count]] = (await rowsOf(`SELECT count(*) FROM ${publishedTable(chain.dataDir, 'cost_basis')}`)) as [
      [string],
    ]
    expect(Number(answer.stdout)).toBe(Number(count))
  } finally {
    await limited.close()
  }
})
