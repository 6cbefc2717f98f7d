import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import type { CatalogueIndex } from '../data/catalogue.ts'
import { toSentence } from '../data/failure.ts'
import { loadSearch } from '../data/search.ts'
import { findProblem, type Problem } from './check-formula.ts'
import type { Offer } from './formula-offers.ts'
import { useAnswer } from './use-answer.tsx'

interface FormulaFieldProps {
  /** For a visible label. */
  readonly inputId?: string
  readonly value: string
  readonly label: string
  readonly index: CatalogueIndex
  /** Names of other formulas. */
  readonly others?: readonly string[]
  readonly onCommit: (text: string) => void
  readonly placeholder?: string
}

export function FormulaField({ inputId, value, label, index, others, onCommit, placeholder = '' }: FormulaFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  /** Cursor position; undefined without completions. */
  const [caret, setCaret] = useState<number>()
  const [chosen, setChosen] = useState(-1)
  const [isUsed, setUsed] = useState(false)
  useEffect(() => setText(value), [value])
  const needsSearch = isUsed || findProblem(text, index, undefined, others) !== undefined
  const search = useAnswer(async () => (needsSearch ? loadSearch() : undefined), [needsSearch]).value
  const problem = findProblem(text, index, search, others)
  const completion = useAnswer(async () => (isUsed ? import('./formula-offers.ts') : undefined), [isUsed]).value
  const offers = useMemo(
    () => (caret === undefined ? [] : (completion?.listOffers(text.slice(0, caret), index, search) ?? [])),
    [text, caret, index, search, completion],
  )

  const take = (one: Offer): void => {
    const field = input.current
    if (!field) return
    const rest = field.value.slice(field.selectionStart ?? 0).replace(/^\w+/, '')
    const next = field.value.slice(0, one.start) + one.insert + rest
    setText(next)
    setCaret(undefined)
    field.value = next
    const end = one.start + one.insert.length
    field.focus()
    field.setSelectionRange(end, end)
    if (!one.insert.endsWith('(') && findProblem(next, index, undefined, others) === undefined) onCommit(next)
  }
  /** The field's own text, because `take` changes it at once. */
  const commit = (typed: string): void => {
    setCaret(undefined)
    if (typed.trim() !== value.trim()) onCommit(typed)
  }
  const press = (event: KeyboardEvent): void => {
    const isOpen = offers.length > 0
    if (event.key === 'ArrowDown' && isOpen) setChosen((chosen + 1) % offers.length)
    else if (event.key === 'ArrowUp' && isOpen) setChosen((chosen + offers.length - 1) % offers.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && isOpen && chosen >= 0) take(offers[chosen]!)
    else if (event.key === 'Enter') {
      const [first] = offers
      // Several words are no formula: they search for a metric.
      if (first && /\s|-/.test(text.slice(first.start, caret).trim())) take(first)
      else commit(text)
    } else if (event.key === 'Escape' && isOpen) setCaret(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div class="formula-field">
      <input
        ref={input}
        id={inputId}
        class="field"
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={offers.length > 0}
        aria-controls={`${id}-offers`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setCaret(currentTarget.selectionStart ?? 0)
          setChosen(-1)
        }}
        onFocus={() => setUsed(true)}
        onKeyDown={press}
        onBlur={({ currentTarget }) => commit(currentTarget.value)}
      />
      <div class="offers" id={`${id}-offers`} role="listbox" aria-label="Suggestions" hidden={offers.length === 0}>
        {offers.map((one, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={one.insert}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            tabIndex={-1}
            // Keep the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(one)}
          >
            <span>{one.label}</span>
            <span class="muted">{one.about}</span>
          </div>
        ))}
      </div>
      {problem && offers.length === 0 && <Wrong id={`${id}-problem`} text={text} problem={problem} />}
    </div>
  )
}

function Wrong({ id, text, problem }: { readonly id: string; readonly text: string; readonly problem: Problem }) {
  const { at, message, cure } = problem
  return (
    <p id={id} class="wrong" role="status">
      <code>
        {text.slice(0, at)}
        <mark>{text.slice(at, at + 1) || '\u00a0'}</mark>
        {text.slice(at + 1)}
      </code>
      {toSentence(message)} <span class="muted">{cure}</span>
    </p>
  )
}
