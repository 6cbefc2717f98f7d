import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { DuckDBDateValue } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { bindInputs, boundRelation } from '#sql/relation.ts'
import { rowsRelation } from '#sql/rows.ts'
import { withSession } from '#sql/session.ts'

it('a query finds what it is given, and nothing else', async () => {
  const temporaryFolder = mkdtempSync(`${os.tmpdir()}/coinstrata-relation-`)
  await withSession({ temporaryFolder }, async (connection) => {
    const query = `-- people: names
      WITH named AS (FROM people) SELECT name, getvariable('last_day')::VARCHAR AS day FROM named ORDER BY name DESC -- end`
    const rowsOf = async (text: string) => (await connection.runAndReadAll(text)).getRowsJS()
    const types = { name: 'VARCHAR', born: 'DATE', coins: 'BIGINT' }
    const people = rowsRelation('people', types, [
      { name: "O'Neil", born: '1970-01-03', coins: null },
      { name: 'Hal', born: '1956-05-04', coins: 2 ** 50 },
    ])
    const values = { last_day: new DuckDBDateValue(1) }

    expect(await rowsOf(bindInputs(query, { from: [people], values }))).toEqual([
      ["O'Neil", '1970-01-02'],
      ['Hal', '1970-01-02'],
    ])
    await expect(rowsOf('FROM people')).rejects.toThrow('Table with name people does not exist')
    expect(() => bindInputs(query, { from: [people] })).toThrow('the query needs a value for last_day')
    const number = (value: number) => bindInputs(`SELECT getvariable('x') * 2`, { from: [], values: { x: value } })
    expect(await rowsOf(number(-7))).toEqual([[-14]])
    expect(() => number(0.5)).toThrow('0.5 is not a whole number')

    const rich = boundRelation('rich', 'SELECT name, born, typeof(coins) FROM people WHERE coins > 0', {
      from: [people],
    })
    expect(await rowsOf(`SELECT * REPLACE (born::VARCHAR AS born) FROM ${rich.from}`)).toEqual([
      ['Hal', '1956-05-04', 'BIGINT'],
    ])
    expect(await rowsOf(`SELECT count(*)::INTEGER FROM ${rowsRelation('nobody', types, []).from}`)).toEqual([[0]])
  }).finally(() => rmSync(temporaryFolder, { recursive: true }))
})
