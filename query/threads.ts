import os from 'node:os'
import { Piscina } from 'piscina'
import { threadMemory } from '#base/thread-memory.ts'
import type { CallerWork } from '#limits/admission.ts'
import { evaluateFormula, valuesPerMs, valuesPerRow } from '#sql/formula/evaluate.ts'
import type { Formula } from '#sql/formula/parse.ts'
import { evaluateToDate, type Periods } from '#sql/formula/periods.ts'
import type { FormulaTask, NotesTask, TextTask } from './worker.ts'

const idleTimeoutMs = 10_000
/** Formulas that compute more take longer than a thread needs to start and answer. */
const maxValuesHere = 40_000

/** The event loop needs a processor too. */
export const threadCount = Math.min(4, Math.max(1, os.availableParallelism() - 1))

let started: Piscina | undefined
const threads = (): Piscina =>
  (started ??= new Piscina({
    filename: new URL('./worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: threadCount,
    idleTimeout: idleTimeoutMs,
    ...threadMemory,
  }))

export const addNotesInThread = (task: NotesTask): Promise<void> => threads().run(task, { name: 'addNotes' })
export const encodeInThread = (task: TextTask): Promise<Uint8Array> => threads().run(task, { name: 'encode' })

/**
 * As `evaluateFormula` over whole columns, in a thread if long; with `periods` as `evaluateToDate`.
 */
export async function evaluateFor(
  { spend, inThread }: CallerWork,
  formula: Formula,
  length: number,
  lookup: (id: string) => Float64Array,
  periods?: Periods,
): Promise<Float64Array> {
  const values = length * valuesPerRow(formula.root)
  spend(values)
  if (values <= maxValuesHere)
    return periods ? evaluateToDate(formula, periods) : evaluateFormula(formula, length, lookup)
  const ids = [...formula.references.keys()]
  const inputs = periods ? ids.map(periods.find) : undefined
  const task: FormulaTask = { text: formula.text, length, columns: ids.map(lookup), inputs, starts: periods?.starts }
  return inThread(values / valuesPerMs, () => threads().run(task, { name: 'evaluate' }))
}
