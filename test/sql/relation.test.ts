import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { DuckDBDateValue } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { withInputs } from '#sql/relation.ts'
import { sessionRelation } from '#sql/rows.ts'
import { withSession } from '#sql/session.ts'

it('a query finds what it is given, and nothing that an earlier one was given', async () => {
  const temporaryFolder = mkdtempSync(`${os.tmpdir()}/coinstrata-relation-`)
  await withSession({ temporaryFolder }, async (connection) => {
    const query = `SELECT name, getvariable('last_day')::VARCHAR AS day FROM people`
    const rowsOf = async () => (await connection.runAndReadAll(query)).getRowsJS()
    const from = [await sessionRelation(connection, 'people', { name: 'VARCHAR' }, [{ name: 'Hal' }])]
    const values = { last_day: new DuckDBDateValue(1) }

    expect(await withInputs(connection, { from, values }, rowsOf)).toEqual([['Hal', '1970-01-02']])
    await expect(rowsOf()).rejects.toThrow('Table with name people does not exist')
    await expect(
      withInputs(connection, { from: [...from, { name: 'none', from: 'missing' }] }, rowsOf),
    ).rejects.toThrow('missing')
    expect(await withInputs(connection, { from }, rowsOf)).toEqual([['Hal', null]])
    const number = async (value: number) =>
      withInputs(connection, { from, values: { last_day: value } }, async () => (await rowsOf())[0]?.[1])
    expect(await number(-7)).toBe('-7')
    await expect(number(0.5)).rejects.toThrow('0.5 is not a whole number')
  }).finally(() => rmSync(temporaryFolder, { recursive: true }))
})
