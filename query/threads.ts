import os from 'node:os'
import { Piscina } from 'piscina'
import { threadMemory } from '#base/thread-memory.ts'
import type { Pauses } from '#limits/work.ts'
import { evaluateWithPauses, valuesPerRow } from '#sql/formula/evaluate.ts'
import type { Formula } from '#sql/formula/parse.ts'
import type { FormulaTask, TextTask } from './worker.ts'

const idleTimeoutMs = 10_000
/** Formulas that compute more take longer than a thread needs to start and answer. */
const maxValuesHere = 40_000

/** Threads that encode tables and evaluate formulas: the event loop needs a processor too. */
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

export const encodeInThread = (task: TextTask, transferList: ArrayBuffer[]): Promise<ArrayBuffer> =>
  threads().run(task, { name: 'encode', transferList })

/** As `evaluateWithPauses`, in a thread if it takes long. */
export function evaluateInTurn(
  formula: Formula,
  length: number,
  lookup: (id: string) => Float64Array,
  { pauseComputing, compute }: Pauses,
): Promise<Float64Array> {
  const values = length * valuesPerRow(formula.root)
  if (!compute || values <= maxValuesHere) return evaluateWithPauses(formula, length, lookup, pauseComputing)
  const task: FormulaTask = { text: formula.text, length, columns: [...formula.references.keys()].map(lookup) }
  return compute(values, () => threads().run(task, { name: 'evaluate' }))
}
