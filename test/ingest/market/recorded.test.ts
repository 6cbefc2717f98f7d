import { afterEach, expect, test, vi } from 'vitest'
import { parseDay } from '#base/days.ts'
import { type ObservationTable, tables } from '#ingest/market/observations.ts'
import { marketSources } from '#ingest/market/sources.ts'
import { readObservations } from '#ingest/market/store.ts'
import { coinstrata } from '../../support/program.ts'
import { dataDir, freshDataFolders, session } from './data-folder.ts'
import { type Answer, type Asked, serve } from './fake-server.ts'
import { type RecordedSource, recordedSources } from './recorded-venues.ts'

freshDataFolders()
afterEach(() => void vi.useRealTimers())

/** The recorded answer to a question, or what its source says of everything else. */
function findAnswer({ answers, nothing }: RecordedSource, { path, query, body }: Asked): Answer {
  for (const [key, recorded] of Object.entries(answers)) {
    const [recordedPath, recordedQuery = ''] = key.split('?')
    if (path !== recordedPath && !path.startsWith(`${recordedPath}/`) && key !== body.type) continue
    if ([...new URLSearchParams(recordedQuery)].every(([name, value]) => query.get(name) === value))
      return { body: recorded }
  }
  return nothing
}

test('of every source an answer is recorded', () => {
  const recorded = recordedSources.map(({ source }) => source).sort()
  const cure = 'add an answer of the real source to recorded-venues.ts or recorded-funds.ts beside this test'
  expect(recorded, cure).toEqual(marketSources.map(({ id }) => id).sort())
})

test.each(recordedSources)(
  '$source is fetched by the program in its recorded form ($checked), and but once',
  async (recorded) => {
    const { source, now, since, stored } = recorded
    const server = await serve((asked) => findAnswer(recorded, asked))
    // The program tells the time by its clock alone.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(now) })
    const name = `SOURCES_${source.toUpperCase().replaceAll('-', '_')}`
    const environment = {
      [`${name}_BASE_URL`]: server.url,
      [`${name}_REQUESTS_PER_MINUTE`]: '1000000000',
      [`${name}_API_KEY`]: 'the-key',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
    }
    try {
      const first = await coinstrata(['fetch', source, '--since', since], { environment })
      expect(first, first.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^ok {7}/) })
      for (const [kind, row] of stored) {
        const table: ObservationTable = tables[kind]
        const rows = await session((connection) => readObservations(connection, dataDir, table))
        const expected = typeof row.date === 'string' ? { ...row, date: parseDay(row.date) } : row
        expect(rows).toContainEqual(expect.objectContaining(expected))
      }
      const second = await coinstrata(['fetch', source, '--since', since], { environment })
      expect(second.stdout).toMatch(/ 0 added, 0 corrected, [1-9]\d* already known/)
    } finally {
      await server.close()
    }
  },
)
