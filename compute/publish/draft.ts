import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { bisectRight } from 'd3-array'
import type { Row, Table } from '#contract/tables/table.ts'
import type { TableName } from '#contract/tables/tables.ts'
import { publishFolder, unfinishedPath } from '#sql/files.ts'
import type { Generation, OpenGeneration, PublishedTable } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import {
  type FirstRowGroups,
  finishParquet,
  hashRowGroups,
  joinParquet,
  type RowGroups,
  type RowGroupWriter,
} from '#sql/join-parquet.ts'
import { type FileFacts, tableNotes, toKeyValues } from '#sql/parquet-notes.ts'
import { bindInputs, filesRelation, type QueryInputs, type Relation } from '#sql/relation.ts'
import { type Cells, sortRows, toCells, toColumns } from '#sql/table-columns.ts'
import { writeRowGroups } from '#sql/write-columns.ts'
import { checkFile, writePart, writeTable } from '#sql/write-table.ts'
import type { Progress } from '../progress.ts'
import type { NewDays } from './closed-days.ts'

export interface DraftOptions {
  readonly progress?: Pick<Progress, 'part'>
  readonly facts?: FileFacts
  readonly before?: OpenGeneration | undefined
}

/** A generation under construction, in a folder that readers do not open. */
export class Draft {
  readonly connection: DuckDBConnection
  readonly folder: string
  readonly tables: Generation['tables'] = {}
  /** Rows up to the next checkpoint, in files at their published paths. */
  readonly rowsUpToCut = new Map<TableName, FirstRowGroups>()
  readonly #target: string
  readonly #options: DraftOptions

  /**
   * Keeps unchanged files of the generation `before`.
   * @param target folder of the published generation
   */
  constructor(connection: DuckDBConnection, target: string, options: DraftOptions = {}) {
    this.connection = connection
    this.folder = unfinishedPath(target)
    this.#target = target
    this.#options = options
    rmSync(this.folder, { recursive: true, force: true })
    mkdirSync(this.folder, { recursive: true })
  }

  part(name: string): void {
    this.#options.progress?.part?.(name)
  }

  async write<Name extends TableName>(
    table: Table<Name>,
    query: string,
    inputs: QueryInputs = { from: [] },
  ): Promise<Relation<Name>> {
    const { name } = table
    this.part(name)
    const file = path.join(this.folder, `${name}.parquet`)
    const written = await writePart(this.connection, file, table, bindInputs(query, inputs))
    return this.#finish(table, hashRowGroups(written))
  }

  /**
   * Writes a file that depends on earlier publications, so is not a table; `undefined` without
   * rows.
   */
  async writeBeside(table: Table, query: string): Promise<PublishedTable | undefined> {
    this.part(table.name)
    const file = path.join(this.folder, `${table.name}.parquet`)
    const written = await writeTable(this.connection, file, table, query, this.#options.facts)
    if (written.rows > 0) return written
    rmSync(file)
    return undefined
  }

  /**
   * Writes a daily table: the query returns rows of new days; earlier ones are copied from the
   * checkpoint.
   */
  async grow<Name extends TableName>(
    table: Table<Name>,
    days: NewDays,
    query: string,
    inputs: QueryInputs = { from: [] },
  ): Promise<Relation<Name>> {
    this.part(table.name)
    const { cut } = days
    const select = bindInputs(query, inputs)
    const write = (number: number, part: string): Promise<RowGroups> =>
      writePart(this.connection, path.join(this.folder, `${table.name}.part.${number}`), table, part)
    if (cut === undefined) return this.#join(table, days, [], [await write(0, select)])
    const cutDate = `DATE '1970-01-01' + ${cut}`
    const upToCut = await write(0, `FROM (${select}) WHERE date <= ${cutDate}`)
    const afterCut = await write(1, `FROM (${select}) WHERE date > ${cutDate}`)
    return this.#join(table, days, [upToCut], [afterCut])
  }

  /** As `grow` from columns of sorted rows. */
  growColumns<Name extends TableName>(
    table: Table<Name>,
    days: NewDays,
    cells: Readonly<Record<string, Cells>> & { readonly date: Int32Array },
  ): Relation<Name> {
    this.part(table.name)
    const columns = toColumns(table, cells)
    const { rowsPerGroup } = table
    const firstAfterCut = days.cut === undefined ? 0 : bisectRight(cells.date, days.cut)
    const upToCut: RowGroupWriter = (write) => writeRowGroups(columns, write, { rowsPerGroup, end: firstAfterCut })
    const afterCut: RowGroupWriter = (write) => writeRowGroups(columns, write, { rowsPerGroup, first: firstAfterCut })
    return this.#join(table, days, days.cut === undefined ? [] : [upToCut], [afterCut])
  }

  /**
   * As `grow`, some days at a time, up to the unix day `end`.
   * @param write writes a file with the rows of the days after `day` up to `last`
   */
  async growInSteps<Name extends TableName>(
    table: Table<Name>,
    days: NewDays,
    daysPerStep: number,
    end: number,
    write: (file: string, day: number, last: number) => Promise<void>,
  ): Promise<Relation<Name>> {
    const { after, cut = after } = days
    this.part(table.name)
    const files: { readonly upToCut: string[]; readonly afterCut: string[] } = { upToCut: [], afterCut: [] }
    for (let day = after; day < end; ) {
      const last = Math.min(day + daysPerStep, day < cut ? cut : end)
      const part = path.join(this.folder, `${table.name}.part.${day}`)
      await write(part, day, last)
      ;(last <= cut ? files.upToCut : files.afterCut).push(part)
      day = last
    }
    return this.growFromFiles(table, days, files)
  }

  /** As `grow` from files with rows of new days up to the next checkpoint and after it. */
  async growFromFiles<Name extends TableName>(
    table: Table<Name>,
    days: NewDays,
    { upToCut, afterCut }: { readonly upToCut: readonly string[]; readonly afterCut: readonly string[] },
  ): Promise<Relation<Name>> {
    this.part(table.name)
    const checked: RowGroups[] = []
    for (const file of [...upToCut, ...afterCut]) checked.push(await checkFile(this.connection, file, table))
    return this.#join(table, days, checked.slice(0, upToCut.length), checked.slice(upToCut.length))
  }

  #join<Name extends TableName>(
    table: Table<Name>,
    { savedRows, cut }: Pick<NewDays, 'savedRows' | 'cut'>,
    upToCut: readonly (RowGroups | RowGroupWriter)[],
    afterCut: readonly (RowGroups | RowGroupWriter)[],
  ): Relation<Name> {
    const { name } = table
    const file = path.join(this.folder, `${name}.parquet`)
    const parts = [...upToCut, ...afterCut]
    const prefixes = joinParquet(file, parts, savedRows.get(name))
    const lastSaved = prefixes[prefixes.length - afterCut.length - 1]
    if (cut !== undefined && lastSaved)
      this.rowsUpToCut.set(name, { ...lastSaved, file: path.join(this.#target, `${name}.parquet`) })
    for (const part of parts) if ('file' in part) rmSync(part.file)
    return this.#finish(table, prefixes.at(-1)!)
  }

  #finish<Name extends TableName>(table: Table<Name>, written: FirstRowGroups): Relation<Name> {
    const { name } = table
    const { facts, before } = this.#options
    const published = before?.generation.tables[name]
    const fileBefore = published && { file: path.join(before.folder, `${name}.parquet`), table: published }
    this.tables[name] = finishParquet(written, toKeyValues(tableNotes(table), facts), fileBefore)
    return filesRelation(name, [written.file])
  }

  /** Writes columns of sorted rows. */
  writeColumns<Name extends TableName>(table: Table<Name>, cells: Readonly<Record<string, Cells>>): Relation<Name> {
    this.part(table.name)
    const columns = toColumns(table, cells)
    const all = { savedRows: new Map(), cut: undefined }
    return this.#join(table, all, [], [(write) => writeRowGroups(columns, write, table)])
  }

  /** Writes rows in the table's order, without properties that it does not declare. */
  writeRows<Name extends TableName, Of extends Table<Name>>(
    table: Of & Table<Name>,
    rows: readonly Row<Of>[],
  ): Relation<Name> {
    return this.writeColumns(table, toCells(table, sortRows(table, rows)))
  }

  publish(generation: Generation): void {
    writeIntactJson(path.join(this.folder, 'generation.json'), generation)
    publishFolder(this.folder, this.#target)
  }

  discard(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
