import { move } from 'piscina'
import { lowerThreadPriority } from '#base/thread-priority.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { evaluateToDate, type PeriodInput } from '#sql/formula/periods.ts'
import { readFooter, writeKeyValues } from '#sql/parquet-footer.ts'
import { type TableNotes, toKeyValues } from '#sql/parquet-notes.ts'
import { inRowOrder, type Table } from './table/columns.ts'
import { csvLines, jsonRows } from './table/text.ts'

export interface TextTask {
  readonly format: 'json' | 'csv'
  readonly table: Table
  /** Number of rows before these. */
  readonly from: number
}

export interface FormulaTask {
  readonly text: string
  readonly length: number
  /** In the order of the formula's references. */
  readonly columns: readonly Float64Array[]
  /** For values of the period so far. */
  readonly inputs: readonly PeriodInput[] | undefined
  readonly starts: Int32Array | undefined
}

export interface NotesTask {
  /** Parquet. */
  readonly file: string
  readonly notes: TableNotes
}

lowerThreadPriority()

/** As UTF-8. */
export function encode({ format, table, from }: TextTask): unknown {
  const pieces = (format === 'json' ? jsonRows : csvLines)(inRowOrder(table), from)
  const bytes = new TextEncoder().encode([...pieces].join(''))
  return move(bytes)
}

export const addNotes = ({ file, notes }: NotesTask): void => writeKeyValues(file, readFooter(file), toKeyValues(notes))

export function evaluate({ text, length, columns, inputs, starts }: FormulaTask): Float64Array {
  const formula = parseFormula(text)
  const ids = [...formula.references.keys()]
  if (inputs && starts) return evaluateToDate(formula, { find: (id) => inputs[ids.indexOf(id)]!, starts })
  const byId = new Map(ids.map((id, i) => [id, columns[i]!]))
  return evaluateFormula(formula, length, (id) => byId.get(id)!)
}
