import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { SourceReport } from '#ingest/market/fetch.ts'
import { readSettings } from '#root/config.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { fetchMarket, requireNetwork } from '../../cli/fetch.ts'
import { createOutput } from '../../cli/output.ts'

const counts = { added: 0, corrected: 0, unchanged: 0, gaps: 0 }
const report = (source: string, more: Partial<SourceReport>): SourceReport => ({
  source,
  name: source,
  outcome: 'failed',
  message: `${source}: getaddrinfo ENOTFOUND`,
  ...counts,
  ...more,
})
const unreached = ['kraken', 'okx'].map((source) => report(source, { unreached: true }))

test('where no source was reached, one sentence says so and gives the first reason', () => {
  expect(() => requireNetwork(unreached)).toThrow(
    'the internet cannot be reached: none of 2 sources of market data answered (kraken: getaddrinfo ENOTFOUND)',
  )
})

test('one source that cannot be reached, or one of several that refuses, says nothing of the internet', () => {
  expect(() => requireNetwork(unreached.slice(1))).not.toThrow()
  expect(() => requireNetwork([...unreached, report('bybit', { outcome: 'blocked' })])).not.toThrow()
  expect(() => requireNetwork([])).not.toThrow()
})

test('in a log, every source that brings nothing has a line with its reason', async () => {
  const folder = temporaryFolder('fetch-log')
  const lines: string[] = []
  const stream = { write: (text: string) => lines.push(text) }
  const context = { environment: {}, stdout: stream, stderr: stream }
  const output = createOutput(readSettings({}, {}), context)
  const settings = { DATA_DIR: folder, MARKET_SOURCES: 'coingecko,sosovalue', ACCESS: 'open' } as const
  await withSession({ temporaryFolder: `${folder}/tmp` }, (connection) =>
    fetchMarket(connection, settings, [], {}, context, output),
  )
  rmSync(folder, { recursive: true })
  const messages = lines.map((line) => JSON.parse(line).msg)
  expect(messages).not.toContain('')
  for (const source of ['coingecko', 'sosovalue'])
    expect(messages).toContainEqual(expect.stringMatching(new RegExp(`^no key +${source} +${source} wants a key\n`)))
})
