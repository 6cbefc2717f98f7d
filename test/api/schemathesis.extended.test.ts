import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { Tier } from '#contract/tiers.ts'
import { keys, serveChain, server } from './support/chain-service.ts'

/**
 * Folder of a Python environment with schemathesis; with a number of cases it also tries each
 * limit, and chains of requests.
 */
const { PYTHON_TOOLS: tools, SCHEMATHESIS_CASES: cases } = process.env
/** The documented examples only of the tier that sees everything. */
const extentOf = (tier: Tier): string[] =>
  cases === undefined
    ? ['--phases', tier === 'enterprise' ? 'examples,fuzzing' : 'fuzzing', '--max-examples', '1']
    : ['--max-examples', cases]
/** What is too long is refused by its bytes (413) before it is read. */
const refusals = `[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
`
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-schemathesis-'))
const run = promisify(execFile)

if (tools) serveChain()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!tools)('schemathesis finds nothing that the OpenAPI document does not allow', () => {
  // What pro is told, endpoints.test.ts checks against the document, too.
  test.each<Tier>(cases === undefined ? ['demo', 'enterprise'] : ['demo', 'pro', 'enterprise'])(
    'as %s',
    { timeout: 3_600_000 },
    async (tier) => {
      const key = keys.get(tier)?.authorization?.replace('Bearer ', '')
      const auth = key ? `[auth.openapi.key]\nbearer = "${key}"\n[auth.openapi.keyHeader]\napi_key = "${key}"\n` : ''
      writeFileSync(path.join(folder, 'schemathesis.toml'), refusals + auth)
      // The stream of events does not end.
      const options = [
        ...[
          'run',
          `${server.url}/docs`,
          '--url',
          server.url,
          '--checks',
          'all',
          '--continue-on-failure',
          ...extentOf(tier),
        ],
        ...['--request-timeout', '60', '--seed', '1', '--no-color', '--exclude-path', '/v1/events'],
      ]
      const env = {
        ...process.env,
        PYTHONPATH: path.join(import.meta.dirname, 'support'),
        SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
      }
      const { code, stdout } = await run(path.join(tools ?? '', 'schemathesis'), options, {
        cwd: folder,
        env,
        maxBuffer: 2 ** 26,
      })
        .then((said) => ({ code: 0, ...said }))
        .catch((error: { code?: number; stdout?: string; stderr?: string }) => ({
          code: error.code,
          stdout: `${error.stdout} ${error.stderr}`,
        }))
      expect(code, stdout).toBe(0)
      expect(stdout).toMatch(/\d{2,} generated/)
      expect(server.log()).toBe('')
    },
  )
})
