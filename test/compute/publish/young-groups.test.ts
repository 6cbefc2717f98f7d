import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createValuation, type Valuation } from '#compute/cohorts/hour-values.ts'
import { valueYoungGroups } from '#compute/publish/young-groups.ts'
import { limbMacros } from '#compute/scan/limbs.ts'
import { groupCount, groupsOf } from '#contract/coin-cohorts.ts'
import { kinds } from '#contract/kinds.ts'
import { filesRelation } from '#sql/relation.ts'
import { withSession } from '#sql/session.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('young-groups')
afterAll(() => rmSync(folder, { recursive: true }))

const firstDay = 20_000
const kindOf = (scriptType: string, size: number, mined: boolean): number =>
  kinds.findIndex((kind) => kind.scriptType === scriptType && kind.size === size && kind.mined === mined)
const [small, large, mined] = [kindOf('p2pkh', 3, false), kindOf('p2tr', 7, false), kindOf('p2tr', 7, true)]

type Row = readonly [hour: number, recency: number, kind: number, sats: number]

/** Two days; all spends are in hour 25, and in two recencies. */
function share(rows: readonly Row[]): Promise<Valuation> {
  const cells = {
    firstHour: 24 * firstDay,
    satsHigh: new Float64Array(48 * 3),
    satsLow: new Float64Array(48 * 3),
    values: createValuation(48 * 3),
  }
  const [dayBefore, sameHour] = [25 * 3, 25 * 3 + 2]
  cells.satsLow[dayBefore] = 100
  cells.satsHigh[sameHour] = 1
  cells.satsLow[sameHour] = 2 ** 40
  cells.values.value[dayBefore] = 900
  cells.values.cost[dayBefore] = 500
  cells.values.margins.inProfit[dayBefore] = 80
  cells.values.margins.inLoss[dayBefore] = 20
  cells.values.margins.profit[dayBefore] = 420
  cells.values.margins.loss[dayBefore] = 20
  cells.values.value[sameHour] = 2 ** 42
  cells.values.cost[sameHour] = 2 ** 42
  const file = path.join(folder, 'young-kinds.parquet')
  const column = (at: number) => Int32Array.from(rows, (row) => row[at]! + (at === 0 ? 24 * firstDay : 0))
  writeColumns(file, [
    { name: 'hour', type: 'INTEGER', values: column(0) },
    { name: 'recency', type: 'INTEGER', values: column(1) },
    { name: 'kind', type: 'INTEGER', values: column(2) },
    { name: 'spent_sats', type: 'BIGINT', values: BigInt64Array.from(rows, ([, , , sats]) => BigInt(sats)) },
  ])
  return withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
    await connection.run(limbMacros)
    return valueYoungGroups(connection, filesRelation('segment_young_kinds', [file]), cells, firstDay, 2)
  })
}

/** Rows of several segments, in parts. */
const rows: Row[] = [
  [25, 0, small, 10],
  [25, 0, large, 70],
  [25, 0, small, 15],
  [25, 0, mined, 5],
  [25, 2, large, 2 ** 40],
  [25, 2, mined, 2 ** 40],
]

it('gives each kind its share of the same hour and recency', async () => {
  const { value, cost, margins } = await share(rows)
  const at = (kind: number, part: 0 | 1 | 2) => groupCount + groupsOf(kinds[kind]!)[part]
  const [size3, size7] = [at(small, 0), at(large, 0)]
  const [type, p2tr] = [at(small, 1), at(large, 1)]
  const [moved, coinbase] = [at(small, 2), at(mined, 2)]
  // A quarter of the 100 satoshis is small, a twentieth mined; of the others, half is mined.
  expect([size3, type].map((group) => [value[group], cost[group]])).toEqual([
    [225, 125],
    [225, 125],
  ])
  expect(margins.inProfit[size3]).toBe(20)
  expect(margins.inLoss[size3]).toBe(5)
  expect(margins.profit[size3]).toBe(105)
  expect(margins.loss[size3]).toBe(5)
  for (const group of [size7, p2tr]) expect(value[group]).toBeCloseTo(675 + 2 ** 42, 3)
  expect(value[coinbase]).toBe(45 + 2 ** 41)
  expect(value[moved]).toBe(855 + 2 ** 41)
  expect(margins.loss[coinbase]).toBe(1)
  expect(value.subarray(0, groupCount).every((one) => one === 0)).toBe(true)
})

it.each<[string, Row[]]>([
  ['a satoshi more', [...rows, [25, 2, small, 1]]],
  ['a satoshi less', [[25, 0, small, 9], ...rows.slice(1)]],
  ['another recency', [[25, 1, small, 10], ...rows.slice(1)]],
  ['another hour', [[26, 0, small, 10], ...rows.slice(1)]],
])('refuses kinds with %s than all spends', async (_, changed) => {
  await expect(share(changed)).rejects.toMatchObject({ code: 'audit_failed' })
})
