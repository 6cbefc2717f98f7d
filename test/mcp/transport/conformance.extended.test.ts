import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import express from 'express'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toolPath } from '#contract/oauth.ts'
import { RestClient } from '#mcp/client/rest.ts'
import { identifyByKey } from '#mcp/transport/limit-messages.ts'
import { serveHttp } from '#mcp/transport/serve-http.ts'
import { createShared, createToolServer } from '#mcp/transport/server.ts'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'
import { serve, type TestServer, temporaryDataDir, withoutLimits } from '#test/api/support/test-server.ts'
import { addConformanceFixtures } from '../support/conformance-fixtures.ts'

/**
 * Runs the protocol's conformance suite against the program's server with the fixtures that the
 * suite expects. Each omitted scenario has a reason; the suite fails if one of them passes.
 */

const noLogging = 'the server logs for its operator, not for the caller'
const nobodyAsked = 'no tool asks the caller, its model or its user for anything'
const noSubscriptions = 'data change once a day, so nothing can be subscribed to'
const noSessions = 'each request stands for itself, so there are neither sessions nor streams to come back to'

const leftOut: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '2025-11-25': {
    'logging-set-level': noLogging,
    'tools-call-with-logging': noLogging,
    'tools-call-sampling': nobodyAsked,
    'tools-call-elicitation': nobodyAsked,
    'elicitation-sep1034-defaults': nobodyAsked,
    'elicitation-sep1330-enums': nobodyAsked,
    'server-sse-polling': noSessions,
    'server-sse-multiple-streams': noSessions,
    'resources-subscribe': noSubscriptions,
    'resources-unsubscribe': noSubscriptions,
  },
  '2026-07-28': Object.fromEntries(
    [
      'server-stateless:sep-2575-server-rejects-undeclared-capability',
      'server-stateless:sep-2575-missing-capability-http-400',
      'input-required-result-basic-elicitation',
      'input-required-result-basic-sampling',
      'input-required-result-basic-list-roots',
      'input-required-result-request-state',
      'input-required-result-multiple-input-requests',
      'input-required-result-multi-round',
      'input-required-result-missing-input-response',
      'input-required-result-non-tool-request',
      'input-required-result-result-type',
      'input-required-result-tampered-state',
      'input-required-result-capability-check',
      'input-required-result-ignore-extra-params',
    ].map((name) => [name, nobodyAsked]),
  ),
}

const suite = path.join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-conformance-'))
const data = temporaryDataDir()
const server = createServer()
let api: TestServer
let url = ''

beforeAll(async () => {
  await publishSmallGeneration(data.dataDir)
  api = await serve(data.dataDir, withoutLimits)
  const log = pino({ level: 'silent' })
  const shared = createShared(log)
  const caller = { authorization: undefined, forwarded: undefined }
  const rest = new RestClient(api.url, caller)
  const app = express()
  const options = { host: '127.0.0.1', publicUrl: undefined, allowedHosts: [], allowedOrigins: [], log }
  serveHttp(app, { ...options, requestsPerMinute: 1_000, identifyCaller: identifyByKey }, () => {
    const tools = createToolServer({ ...caller, baseUrl: api.url, publicUrl: api.url, shared })
    addConformanceFixtures(tools, { ...shared, rest, publicUrl: api.url })
    return tools
  })
  server.on('request', app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  url = `http://127.0.0.1:${address.port}${toolPath}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await api?.close()
  data.remove()
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['2025-11-25', 33],
  ['2026-07-28', 40],
])('revision %s: all scenarios pass but those that are left out', async (revision, scenarios) => {
  const expected = path.join(folder, `${revision}.yaml`)
  const names = Object.keys(leftOut[revision]!)
  writeFileSync(expected, JSON.stringify({ server: names }))
  const args = ['server', '--url', url, '--suite', 'all', '--spec-version', revision, '--expected-failures', expected]
  const { failed, output } = await new Promise<{ failed: boolean; output: string }>((resolve) => {
    execFile(process.execPath, [suite, ...args], { cwd: folder, maxBuffer: 2 ** 24 }, (error, stdout) =>
      resolve({ failed: error !== null, output: stdout }),
    )
  })
  expect(failed, output.slice(output.indexOf('=== SUMMARY'))).toBe(false)
  expect(output.match(/^[✓✗] [\w-]+: \d+ passed, \d+ failed$/gm)).toHaveLength(scenarios)
})
