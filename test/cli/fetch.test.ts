import { expect, test } from 'vitest'
import type { SourceReport } from '#ingest/market/fetch.ts'
import { requireNetwork } from '../../cli/fetch.ts'

const counts = { added: 0, corrected: 0, unchanged: 0, gaps: 0 }
const report = (source: string, more: Partial<SourceReport>): SourceReport => ({
  ...{ source, name: source, outcome: 'failed', message: `${source}: getaddrinfo ENOTFOUND`, ...counts },
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
