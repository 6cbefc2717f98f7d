import { isoDate } from '#base/days.ts'
import { type Column, pieceRows, type Table } from './columns.ts'

/**
 * A table as CSV (RFC 4180) with a header line, piece by piece. Null is empty; items of a list are separated by spaces.
 */
export function* csvLines(table: Table): Generator<string> {
  const { columns, rows } = table
  const step = pieceRows(table)
  yield `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`
  const cells = columns.map(csvCell)
  for (let first = 0; first < rows; first += step) {
    let piece = ''
    for (let row = first; row < Math.min(rows, first + step); row++) {
      for (let i = 0; i < cells.length; i++) piece += (i === 0 ? '' : ',') + cells[i]!(row)
      piece += '\r\n'
    }
    yield piece
  }
}

function csvCell(column: Column): (row: number) => string {
  switch (column.kind) {
    case 'number':
    case 'integer':
    case 'date': {
      const { values, kind } = column
      return (row) => {
        const value = values[row]!
        if (Number.isNaN(value)) return ''
        return kind === 'date' ? isoDate(value) : String(value)
      }
    }
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

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
