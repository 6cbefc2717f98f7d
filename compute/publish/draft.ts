import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Row, Table } from '#contract/tables/table.ts'
import type { TableName } from '#contract/tables/tables.ts'
import { publishFolder, replaceFile, unfinishedName } from '#sql/files.ts'
import type { Generation } from '#sql/generation.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import { filesRelation, type QueryInputs, type Relation, withInputs } from '#sql/relation.ts'
import { createTableOfRows } from '#sql/rows.ts'
import { writeTable } from '#sql/write-table.ts'

/** A generation that is being built, in a folder that no reader looks into. */
export class Draft {
  readonly connection: DuckDBConnection
  readonly folder: string
  readonly #target: string
  readonly #tables: Generation['tables'] = {}

  /** `target` is the folder in which it will be published. */
  constructor(connection: DuckDBConnection, target: string) {
    this.connection = connection
    this.folder = unfinishedName(target)
    this.#target = target
    rmSync(this.folder, { recursive: true, force: true })
    mkdirSync(this.folder, { recursive: true })
  }

  /** What has been written so far, in that order. */
  get tables(): Generation['tables'] {
    return this.#tables
  }

  /**
   * Writes a table by a query over what it reads, and gives it to the steps that read it. Throws `schema_mismatch`,
   * `disk_full`.
   */
  async write<Name extends TableName>(
    table: Table<Name>,
    query: string,
    inputs: QueryInputs = { from: [] },
  ): Promise<Relation<Name>> {
    const { name } = table
    const file = path.join(this.folder, `${name}.parquet`)
    this.#tables[name] = await withInputs(this.connection, inputs, () =>
      writeTable(this.connection, file, table, query),
    )
    return filesRelation(name, [file])
  }

  /** The same from rows in memory, sorted as the table is declared to be. */
  async writeRows<Name extends TableName, Of extends Table<Name>>(
    table: Of & Table<Name>,
    rows: readonly Row<Of>[],
  ): Promise<Relation<Name>> {
    const made = `rows_of_${table.name}`
    await createTableOfRows(this.connection, made, table.columns, rows)
    const order = table.sortedBy.map(quotedIdentifier).join(', ')
    const written = await this.write(table, `SELECT * FROM ${made} ORDER BY ${order}`)
    await this.connection.run(`DROP TABLE ${made}`)
    return written
  }

  /** Puts the complete generation where readers find it. */
  publish(generation: Generation): void {
    replaceFile(path.join(this.folder, 'generation.json'), `${JSON.stringify(generation, null, 2)}\n`)
    publishFolder(this.folder, this.#target)
  }

  /** Leaves nothing of it on the disk. */
  discard(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
