import { isoDate } from '#base/days.ts'
import type { Column, Table } from './columns.ts'

type Cell = (row: number) => string

/** Pieces of a JSON array's items; `from` rows come before. */
export function jsonRows(table: Table, from = 0): Generator<string> {
  const cells = table.columns.map((column, i): Cell => {
    const start = `${i === 0 ? '{' : ','}${JSON.stringify(column.name)}:`
    const cell = jsonCell(column)
    return (row) => start + cell(row)
  })
  const onlyRows = table.columns.map((column) => ('onlyRow' in column ? column.onlyRow : undefined))
  const cellsIn = (row: number) => cells.filter((_, i) => onlyRows[i] === undefined || onlyRows[i] === row)
  const all = onlyRows.every((row) => row === undefined) ? () => cells : cellsIn
  return encodeRows(table, all, ',', cells.length === 0 ? '{}' : '}', from > 0)
}

function jsonCell(column: Column): Cell {
  switch (column.kind) {
    case 'number':
    case 'integer':
      return numberCell(column.values, 'null', String)
    case 'date':
      return numberCell(column.values, 'null', (day) => `"${isoDate(day)}"`)
    case 'time':
      return numberCell(column.values, 'null', (time) => `"${isoTime(time)}"`)
    default: {
      const { values } = column
      return (row) => JSON.stringify(values[row])
    }
  }
}

/** CSV (RFC 4180), after a header line. Null is empty; list items are separated by spaces. */
export function* csvLines(table: Table, from = 0): Generator<string> {
  if (from === 0) yield `${table.columns.map(({ name }) => quoted(name)).join(',')}\r\n`
  const cells = table.columns.map((column, i): Cell => {
    const cell = csvCell(column)
    return i === 0 ? cell : (row) => `,${cell(row)}`
  })
  yield* encodeRows(table, () => cells, '', '\r\n')
}

function csvCell(column: Column): Cell {
  switch (column.kind) {
    case 'number':
    case 'integer':
      return numberCell(column.values, '', String)
    case 'date':
      return numberCell(column.values, '', isoDate)
    case 'time':
      return numberCell(column.values, '', isoTime)
    case 'list': {
      const { values } = column
      return (row) => quoted(values[row]!.join(' '))
    }
    default: {
      const { values } = column
      return (row) => quoted(String(values[row] ?? ''))
    }
  }
}

const isoTime = (seconds: number): string => new Date(1000 * seconds).toISOString()

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const numberCell =
  (values: Float64Array, missing: string, format: (value: number) => string): Cell =>
  (row) => {
    const value = values[row]!
    return Number.isNaN(value) ? missing : format(value)
  }

/** Characters of a piece, which takes a millisecond or two. */
const pieceLength = 30_000

function* encodeRows(
  { rows }: Table,
  cellsIn: (row: number) => readonly Cell[],
  separator: string,
  end: string,
  follows = false,
): Generator<string> {
  let piece = ''
  for (let row = 0; row < rows; row++) {
    if (row > 0 || follows) piece += separator
    for (const cell of cellsIn(row)) {
      piece += cell(row)
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
    piece += end
  }
  if (piece !== '') yield piece
}
