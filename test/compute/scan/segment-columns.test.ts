import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { histogramColumns, type ScanResult, youngRowColumns } from '#compute/scan/scan.ts'
import { writeSegmentTable } from '#compute/scan/segment-columns.ts'
import { segmentKey } from '#compute/scan/segments.ts'
import { withSession } from '#sql/session.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-segment-columns-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = path.join(folder, 'rows.parquet')

/** One row of a table, of these values where they are not 0. */
const row = <Name extends string>(names: readonly Name[], values: Partial<Record<Name, number>>) =>
  Object.fromEntries(names.map((name) => [name, Float64Array.of(values[name] ?? 0)])) as Record<Name, Float64Array>

const young = (values: Partial<Record<(typeof youngRowColumns)[number], number>>): ScanResult['young_spends'] =>
  row(youngRowColumns, values)

// Segments are found by this key: with another one, every installation scans the whole chain again,
// 800 GB on mainnet. Change it only together with `formatVersion`, when a scan of the same blocks
// yields other tables.
it('has the key of its blocks that released versions gave it', () => {
  const hashes = Uint8Array.from({ length: 3 * 32 }, (_, i) => i)
  expect(segmentKey(hashes, 'off')).toBe('c4eca49b6a36474f8300105e4fac71ce')
  expect(segmentKey(hashes.subarray(32), 'off')).not.toBe(segmentKey(hashes, 'off'))
})

it('puts the limbs of a value together exactly, up to what 64 bits hold', async () => {
  writeSegmentTable(
    file,
    'young_spends',
    young({
      hour: 455_000,
      created_hour: 454_999,
      spent_sats_low: 2 ** 50 - 1,
      spent_sats_high: 2 ** 13 - 1,
      spent_sats_low_under_1h: 2 ** 33 + 5,
      sat_seconds_low_under_24h: 2 ** 50 - 3,
      sat_seconds_high_under_24h: 3,
    }),
  )
  const rows = await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) =>
    (await connection.runAndReadAll(`FROM '${file}'`)).getRowObjectsJson(),
  )
  expect(rows).toEqual([
    {
      hour: 455_000,
      created_hour: 454_999,
      spent_sats: String(2n ** 63n - 1n),
      spent_sats_under_1h: String(2n ** 33n + 5n),
      spent_outputs_under_1h: '0',
      sat_seconds_low_under_1h: '0',
      sat_seconds_high_under_1h: '0',
      output_seconds_under_1h: '0',
      spent_sats_under_24h: '0',
      spent_outputs_under_24h: '0',
      sat_seconds_low_under_24h: String(2n ** 50n - 3n),
      sat_seconds_high_under_24h: '3',
      output_seconds_under_24h: '0',
    },
  ])
})

it('refuses what does not fit', () => {
  const large = young({ spent_sats_high: 2 ** 13 })
  expect(() => writeSegmentTable(file, 'young_spends', large)).toThrow('spent_sats has a value beyond 64 bits in row 0')
  const negative = row(histogramColumns, { count: -1 })
  expect(() => writeSegmentTable(file, 'histograms', negative)).toThrow('count has a value beyond 64 bits in row 0')
})
