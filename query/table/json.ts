import { isoDate } from '#base/days.ts'
import { type Column, pieceRows, type Table } from './columns.ts'

/** The rows of a table as the items of a JSON array, piece by piece. */
export function* jsonRows(table: Table): Generator<string> {
  const { columns, rows } = table
  const step = pieceRows(table)
  const cells = columns.map((column, i) => {
    const start = `${i === 0 ? '{' : ','}${JSON.stringify(column.name)}:`
    const cell = jsonCell(column)
    const only = 'onlyRow' in column ? column.onlyRow : undefined
    return (row: number): string => (only === undefined || only === row ? start + cell(row) : '')
  })
  const end = columns.length === 0 ? '{}' : '}'
  for (let first = 0; first < rows; first += step) {
    let piece = ''
    for (let row = first; row < Math.min(rows, first + step); row++) {
      if (row > 0) piece += ','
      for (const cell of cells) piece += cell(row)
      piece += end
    }
    yield piece
  }
}

function jsonCell(column: Column): (row: number) => string {
  switch (column.kind) {
    case 'number':
    case 'integer': {
      const { values } = column
      return (row) => {
        const value = values[row]!
        return Number.isNaN(value) ? 'null' : String(value)
      }
    }
    case 'date': {
      const { values } = column
      return (row) => {
        const value = values[row]!
        return Number.isNaN(value) ? 'null' : `"${isoDate(value)}"`
      }
    }
    default: {
      const { values } = column
      return (row) => JSON.stringify(values[row])
    }
  }
}
