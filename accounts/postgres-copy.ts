import { existsSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { textTable } from '#base/text-table.ts'
import { PostgresAccounts } from './database/postgres.ts'
import { SqliteAccounts } from './database/sqlite.ts'
import { countRows, type Statements, type Value } from './database/statements.ts'
import type { StoreSettings } from './services.ts'

const rowsPerInsert = 100

const tableSchema = z.object({ name: z.string(), hasNoRowid: z.int() })
type Table = z.infer<typeof tableSchema>
const columnSchema = z.object({ name: z.string() })
const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.instanceof(Uint8Array), z.null()]))
const sequenceSchema = z.object({ seq: z.int() })

/**
 * Copies all accounts of a data folder and their data into an empty PostgreSQL database, in one
 * transaction that locks both. Returns the text to print.
 */
export async function copyAccounts({ DATA_DIR: dataDir, DATABASE_URL: url }: StoreSettings): Promise<string> {
  if (url === undefined) {
    throw new CoinstrataError('invalid_configuration', 'there is no PostgreSQL to copy accounts to', {
      cure: 'set DATABASE_URL=postgresql://user:password@host:5432/database',
    })
  }
  const file = path.join(dataDir, 'state', 'accounts.db')
  if (!existsSync(file)) {
    throw new CoinstrataError('data_not_ready', `${dataDir} holds no accounts`, {
      cure: 'name the data folder with --data-dir (DATA_DIR)',
    })
  }
  await using source = SqliteAccounts.open(dataDir)
  await using target = await PostgresAccounts.open(url)
  const copied = await source.transaction((from) => target.transaction((to) => copyAll(from, to)))
  const rows = copied.map(({ name, rows: count }) => [name, `${count}`])
  return `${textTable(['table', 'rows'], rows)}All of ${file} is in PostgreSQL now. Services with this DATABASE_URL use that, and the file no more.\n`
}

async function copyAll(from: Statements, to: Statements) {
  // In order of creation: tables refer only to earlier ones.
  const tables = await from.all(
    tableSchema,
    `SELECT list.name, list.wr AS "hasNoRowid" FROM pragma_table_list AS list JOIN sqlite_schema USING (name)
     WHERE list.schema = 'main' AND list.type = 'table' AND list.name NOT LIKE 'sqlite%' ORDER BY sqlite_schema.rowid`,
  )
  for (const { name } of tables) {
    const count = await countRows(to, name)
    if (count > 0) {
      throw new CoinstrataError(
        'data_folder_mismatch',
        `the PostgreSQL has accounts already: ${count} rows in ${name}`,
        {
          cure: 'make a new database, and copy into it before a service uses it',
        },
      )
    }
  }
  const copied: { name: string; rows: number }[] = []
  for (const table of tables) copied.push({ name: table.name, rows: await copyTable(table, from, to) })
  // Ids of removed accounts must not be used again.
  const last = await from.get(sequenceSchema, "SELECT seq FROM sqlite_sequence WHERE name = 'accounts'")
  if (last) await to.run("SELECT setval(pg_get_serial_sequence('accounts', 'id'), $last)", { last: last.seq })
  return copied
}

async function copyTable({ name, hasNoRowid }: Table, from: Statements, to: Statements): Promise<number> {
  const described = await from.all(columnSchema, 'SELECT name FROM pragma_table_info($name)', { name })
  const columns = described.map((column) => column.name)
  // PostgreSQL numbers rows in the order of insertion (`rowid`).
  const rows = await from.all(rowSchema, `SELECT * FROM ${name} ${hasNoRowid ? '' : 'ORDER BY rowid'}`)
  for (const column of columns) {
    const hasNul = rows.some((row) => String(row[column]).includes('\0'))
    if (!hasNul) continue
    throw new CoinstrataError(
      'invalid_file',
      `${name}.${column} holds a text with the character NUL, which PostgreSQL cannot store`,
      {
        cure: 'rename or remove it where the data folder is served, and copy again',
      },
    )
  }
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    const values: Record<string, Value> = {}
    const tuples = rows.slice(start, start + rowsPerInsert).map((row, i) => {
      const parameters = columns.map((column, j) => {
        values[`v${i}_${j}`] = row[column] ?? null
        return `$v${i}_${j}`
      })
      return `(${parameters.join()})`
    })
    await to.run(`INSERT INTO ${name} (${columns.join()}) OVERRIDING SYSTEM VALUE VALUES ${tuples.join()}`, values)
  }
  return rows.length
}
