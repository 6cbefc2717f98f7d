import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { formulaWords } from '#contract/formula-language.ts'
import { formulaFunctions } from '#sql/formula/functions.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import { toSentence } from '../../data/failure.ts'
import { loadSearch, type Search, withPrefix } from '../../data/search.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { findProblem, type Problem } from './check-formula.ts'

interface Offer {
  readonly insert: string
  readonly label: string
  readonly about: string
}

const maxOffers = 8

interface FormulaFieldProps {
  readonly value: string
  readonly label: string
  readonly index: CatalogueIndex
  readonly onCommit: (text: string) => void
  readonly placeholder?: string
}

/** A field for a metric or formula that suggests completions and marks errors. */
export function FormulaField({ value, label, index, onCommit, placeholder = '' }: FormulaFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [offers, setOffers] = useState<readonly Offer[]>([])
  const [chosen, setChosen] = useState(-1)
  useEffect(() => setText(value), [value])
  const search = useAnswer(loadSearch, []).value
  const problem = findProblem(text, index, search)

  const offer = (): void => {
    const field = input.current
    if (!field) return
    setOffers(offersFor(wordAt(field.value, field.selectionStart ?? 0).word, index, search))
    setChosen(-1)
  }
  const take = (one: Offer): void => {
    const field = input.current
    if (!field) return
    const { start, end } = wordAt(field.value, field.selectionStart ?? 0)
    const next = field.value.slice(0, start) + one.insert + field.value.slice(end)
    setText(next)
    setOffers([])
    field.value = next
    const caret = start + one.insert.length
    field.focus()
    field.setSelectionRange(caret, caret)
    if (!one.insert.endsWith('(') && findProblem(next, index) === undefined) onCommit(next)
  }
  const commit = (): void => {
    setOffers([])
    if (text.trim() !== value.trim()) onCommit(text)
  }
  const press = (event: KeyboardEvent): void => {
    const isOpen = offers.length > 0
    if (event.key === 'ArrowDown' && isOpen) setChosen((chosen + 1) % offers.length)
    else if (event.key === 'ArrowUp' && isOpen) setChosen((chosen + offers.length - 1) % offers.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && isOpen && chosen >= 0) take(offers[chosen]!)
    else if (event.key === 'Enter') commit()
    else if (event.key === 'Escape' && isOpen) setOffers([])
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div class="formula-field">
      <input
        ref={input}
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
          offer()
        }}
        onKeyDown={press}
        onBlur={commit}
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

/** The word at the cursor. */
function wordAt(text: string, caret: number): { readonly word: string; readonly start: number; readonly end: number } {
  const start = caret - (/[a-z0-9_]*$/i.exec(text.slice(0, caret))?.[0].length ?? 0)
  const end = caret + (/^[a-z0-9_]*/i.exec(text.slice(caret))?.[0].length ?? 0)
  return { word: text.slice(start, caret), start, end }
}

/** Completions: words of the language, functions and metrics. */
function offersFor(word: string, index: CatalogueIndex, search?: Search): Offer[] {
  if (word.length < 2 || /^\d/.test(word)) return []
  const words = formulaWords
    .filter(({ name }) => name.startsWith(word.toLowerCase()) && name !== word)
    .map(({ name, signature, description }) => ({ insert: name, label: signature, about: description }))
  const functions = [...formulaFunctions.values()]
    .filter(({ name }) => name.startsWith(word.toLowerCase()))
    .map(({ name, signature, description }) => ({ insert: `${name}(`, label: signature, about: description }))
  const beginning = withPrefix(index, word.toLowerCase(), maxOffers)
  const others = search?.(index.metrics, word.replaceAll('_', ' '), maxOffers).metrics ?? []
  const metrics = [...new Set([...beginning.slice(0, 5).map(({ id }) => id), ...others.map(({ id }) => id)])].map(
    (id) => ({
      insert: id,
      label: id,
      about: index.byId.get(id)?.name ?? '',
    }),
  )
  const isDone = index.byId.has(word) && metrics[0]?.insert === word
  return isDone ? metrics.slice(1, 5) : [...words, ...functions.slice(0, 3), ...metrics].slice(0, maxOffers)
}
