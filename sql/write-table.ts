import type { DuckDBConnection } from '@duckdb/node-api'
import type { Table } from '#contract/tables/table.ts'
import { CoinstrataError } from '#root/errors.ts'
import type { PublishedTable } from './generation.ts'
import { writeParquet } from './parquet.ts'
import { fileDigest } from './published-table.ts'
import { quotedIdentifier, quotedString } from './quote.ts'

/**
 * Writes a published table to a new Parquet file: the rows of a query, whose columns must have the names, the order and
 * the types that the table declares, and a value in every row where it declares one. The query must have an ORDER BY,
 * so that the same rows give the same bytes. Throws `schema_mismatch`, `disk_full`.
 */
export async function writeTable(
  connection: DuckDBConnection,
  file: string,
  table: Table,
  query: string,
): Promise<PublishedTable> {
  const select = query.trim().replace(/;$/, '')
  refuse(table, differences(table, await columnsOf(connection, select)))
  await writeParquet(connection, file, select)
  const { rows, missing } = await countValues(connection, file, table)
  refuse(table, missing)
  return { rows, ...(await fileDigest(file)) }
}

interface QueryColumn {
  readonly name: string
  readonly type: string
}

async function columnsOf(connection: DuckDBConnection, select: string): Promise<QueryColumn[]> {
  const prepared = await connection.prepare(select)
  try {
    return Array.from({ length: prepared.columnCount }, (_, i) => ({
      name: prepared.columnName(i),
      type: prepared.columnType(i).toString(),
    }))
  } finally {
    prepared.destroySync()
  }
}

function differences({ columns }: Table, found: readonly QueryColumn[]): string[] {
  const declared = Object.entries(columns)
  const types = new Map(found.map(({ name, type }) => [name, type]))
  const wrong = [
    ...declared.filter(([name]) => !types.has(name)).map(([name]) => `column ${name} is declared but missing`),
    ...found.filter(({ name }) => !columns[name]).map(({ name }) => `column ${name} is not declared`),
    ...declared.flatMap(([name, { type }]) => {
      const actual = types.get(name) ?? type
      return actual === type ? [] : [`column ${name} is ${actual}, declared ${type}`]
    }),
  ]
  const order = declared.map(([name]) => name).join(', ')
  const actual = found.map(({ name }) => name).join(', ')
  return wrong.length > 0 || actual === order ? wrong : [`its columns stand in the order ${actual}, declared ${order}`]
}

/** The rows of a file, and what to say of declared values that it lacks. */
async function countValues(connection: DuckDBConnection, file: string, { columns }: Table) {
  const required = Object.entries(columns).flatMap(([name, { nullable }]) => (nullable ? [] : [name]))
  const counts = required.map((name) => `count(${quotedIdentifier(name)})::DOUBLE`)
  const result = await connection.runAndReadAll(
    `SELECT count(*)::DOUBLE, ${counts.join(', ')} FROM ${quotedString(file)}`,
  )
  const [rows = 0, ...known] = result.getRows()[0]!.map(Number)
  const missing = required.flatMap((name, i) => {
    const nulls = rows - known[i]!
    return nulls === 0 ? [] : [`column ${name} is NULL in ${nulls} of ${rows} rows, declared never to be`]
  })
  return { rows, missing }
}

function refuse({ name }: Table, wrong: readonly string[]): void {
  if (wrong.length === 0) return
  throw new CoinstrataError(
    'schema_mismatch',
    `table ${name} is not as contract/tables declares it: ${wrong.join('; ')}`,
    {
      cure:
        'nothing was published. Mend the query or the code that makes the table; or, if readers are to get this from now ' +
        'on, change the declaration, run "npm run docs:text" and tell them in CHANGELOG.md',
    },
  )
}
