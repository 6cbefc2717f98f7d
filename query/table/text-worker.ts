import { move } from 'piscina'
import { lowerThreadPriority } from '#base/thread-priority.ts'
import { inRowOrder, type Table } from './columns.ts'
import { csvLines, jsonRows } from './text.ts'

export interface TextTask {
  readonly format: 'json' | 'csv'
  readonly table: Table
  /** Number of rows before these. */
  readonly from: number
}

lowerThreadPriority()

/** Encodes rows of a table as UTF-8. */
export default function encode({ format, table, from }: TextTask): unknown {
  const pieces = (format === 'json' ? jsonRows : csvLines)(inRowOrder(table), from)
  return move(new TextEncoder().encode([...pieces].join('')).buffer)
}
