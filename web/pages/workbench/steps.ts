import { emptyState, type WorkbenchState } from './workbench-state.ts'

/** Newest last; `future` has undone states. */
export interface Steps {
  readonly past: readonly WorkbenchState[]
  readonly present: WorkbenchState
  readonly future: readonly WorkbenchState[]
}

export function addStep(steps: Steps | undefined, next: WorkbenchState): Steps {
  if (steps && isSame(steps.present, next)) return steps
  return { past: steps ? [...steps.past, steps.present] : [], present: next, future: [] }
}

export function undo(steps: Steps | undefined): Steps | undefined {
  const before = steps?.past.at(-1)
  return steps && before && { past: steps.past.slice(0, -1), present: before, future: [...steps.future, steps.present] }
}

export function redo(steps: Steps | undefined): Steps | undefined {
  const next = steps?.future.at(-1)
  return steps && next && { past: [...steps.past, steps.present], present: next, future: steps.future.slice(0, -1) }
}

/** States from an address have their fields in another order. */
const isSame = (one: WorkbenchState, other: WorkbenchState): boolean =>
  JSON.stringify({ ...emptyState, ...one }) === JSON.stringify({ ...emptyState, ...other })

/** Undefined if the key is for a text field or dialog. */
export function chooseStep(event: KeyboardEvent): typeof undo | typeof redo | undefined {
  const { key, code, target, ctrlKey, metaKey, altKey, shiftKey } = event
  const isText = target instanceof Element && target.closest(textFields) !== null
  if (ctrlKey === metaKey || altKey || isText || document.querySelector('dialog[open]')) return undefined
  // Other scripts' keyboards have the letter only as `code`.
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code
  if (letter === 'z' || letter === 'KeyZ') return shiftKey ? redo : undo
  return (letter === 'y' || letter === 'KeyY') && ctrlKey && !shiftKey ? redo : undefined
}

/** The browser undoes typing in them. */
const textFields =
  'textarea, [contenteditable], input:not([type=checkbox], [type=color], [type=date], .new :placeholder-shown)'
