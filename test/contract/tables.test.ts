import { describe, expect, it } from 'vitest'
import { orNull } from '#contract/tables/column.ts'
import { cohorts, withColumns } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import { tables } from '#contract/tables/tables.ts'
import { today } from '#contract/tables/today.ts'

const declared: readonly Table[] = [...Object.values(tables), today]
const columns = declared.flatMap(({ name, columns }) =>
  Object.entries(columns).map(([column, declaration]) => ({ place: `${name}.${column}`, column, ...declaration })),
)

describe('the declarations of published tables', () => {
  it('describe every column in whole sentences', () => {
    const undescribed = columns.filter(({ description }) => !/^[A-Z`].{6,}\.$/.test(description))
    expect(
      undescribed.map(({ place }) => place),
      'give these columns of contract/tables a description that begins with a capital and ends with a full stop',
    ).toEqual([])
  })

  it('name units of numbers, and none of dates and texts', () => {
    for (const { place, type, unit } of columns) {
      if (/^(BIGINT|DOUBLE|DECIMAL)/.test(type)) expect(unit, `${place} needs a unit`).toBeDefined()
      if (/^(DATE|TIMESTAMP|VARCHAR|BOOLEAN)/.test(type)) expect(unit, place).toBeUndefined()
    }
  })

  it('hold satoshis as BIGINT in columns whose names say so', () => {
    for (const { place, column, type, unit } of columns) {
      expect(unit === 'sats', place).toBe(/(^|_)sats(_|$)/.test(column))
      if (unit === 'sats') expect(type, place).toBe('BIGINT')
    }
  })

  it('have keys that are never NULL', () => {
    for (const { name, key, columns } of declared) {
      expect(key.length, name).toBeGreaterThan(0)
      for (const column of key) expect(columns[column]?.nullable, `${name}.${column}`).toBe(false)
    }
  })

  it('take the further columns of a table from the catalogue', () => {
    const { columns } = withColumns(cohorts, [
      { column: 'supply_sats', unit: 'sats', whole: true, description: 'Supply.' },
      { column: 'utxo_count', unit: 'count', whole: true, description: 'Outputs.' },
      { column: 'mean_count', unit: 'count', whole: false, description: 'Mean.' },
      { column: 'mvrv', unit: 'ratio', whole: false, description: 'MVRV.' },
    ])
    expect(columns).toEqual({
      ...cohorts.columns,
      supply_sats: { type: 'BIGINT', unit: 'sats', nullable: false, description: 'Supply.' },
      utxo_count: orNull({ type: 'BIGINT', unit: 'count', nullable: false, description: 'Outputs.' }),
      mean_count: orNull({ type: 'DOUBLE', unit: 'count', nullable: false, description: 'Mean.' }),
      mvrv: orNull({ type: 'DOUBLE', unit: 'ratio', nullable: false, description: 'MVRV.' }),
    })
  })
})
