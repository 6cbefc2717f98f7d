import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { formulaWords } from '#contract/formula-language.ts'
import { formulaFunctions } from '#sql/formula/functions.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import { toSentence } from '../../data/failure.ts'
import { loadSearch, type Search, withPrefix } from '../../data/search.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { findProblem, type Problem } from './check-formula.ts'

interface Offer {
  readonly insert: string
  /** Begin of the text that it replaces, up to the cursor. */
  readonly start: number
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
  /** Position of the cursor; undefined while no completions are wanted. */
  const [caret, setCaret] = useState<number>()
  const [chosen, setChosen] = useState(-1)
  const [isUsed, setUsed] = useState(false)
  useEffect(() => setText(value), [value])
  const needsSearch = isUsed || findProblem(text, index) !== undefined
  const search = useAnswer(async () => (needsSearch ? loadSearch() : undefined), [needsSearch]).value
  const problem = findProblem(text, index, search)
  const offers = useMemo(
    () => (caret === undefined ? [] : listOffers(text.slice(0, caret), index, search)),
    [text, caret, index, search],
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
    if (!one.insert.endsWith('(') && findProblem(next, index) === undefined) onCommit(next)
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
      // Several words in a row are no formula, so they mean the metric that is found for them.
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

/** The last words of a text as far as they may be a phrase: in a formula, no two names follow each other. */
function lastPhrase(
  text: string,
  { byId }: CatalogueIndex,
): { readonly words: readonly string[]; readonly start: number } {
  const parts = [...text.matchAll(/(?<word>\w+)(?<gap>\W*)/g)].map(({ index, groups }, i) => ({
    word: groups?.word ?? '',
    gap: groups?.gap ?? '',
    index,
    i,
  }))
  const isMetric = (i: number): boolean => byId.has(parts[i]?.word ?? '')
  /** `mvrv and nupl` is a formula, `realized profit and loss` a phrase. */
  const isOperator = (i: number): boolean =>
    formulaWords.some(({ name }) => name === parts[i]?.word) && (isMetric(i - 1) || parts[i - 1]?.gap.trim() !== '')
  const words: string[] = []
  let start = text.length
  for (const { word, gap, index, i } of parts.toReversed()) {
    const isPart = gap.trim() === '' || (gap === '-' && words.length > 0 && !isMetric(i) && !/^\d+$/.test(word))
    if (!isPart || isOperator(i)) break
    words.unshift(word)
    start = index
  }
  return { words, start }
}

/** Completions of the text before the cursor: words of the language, functions, and metrics by their ids and by phrases. */
function listOffers(text: string, index: CatalogueIndex, search?: Search): Offer[] {
  const { words, start } = lastPhrase(text, index)
  const phrase = words.join(' ')
  const [word = ''] = words.slice(-1)
  if (phrase.length < 2 || /^[\d\s]+$/.test(phrase) || (index.byId.has(phrase) && !text.endsWith(word))) return []
  const isSingle = words.length === 1
  const own = word.toLowerCase()
  const language = formulaWords
    .filter(({ name }) => own.length > 1 && name.startsWith(own) && name !== word)
    .map(({ name, signature, description }) => ({
      insert: name,
      start: text.length - word.length,
      label: signature,
      about: description,
    }))
  const functions = [...formulaFunctions.values()]
    .filter(({ name }) => isSingle && name.startsWith(own))
    .map(({ name, signature, description }) => ({ insert: `${name}(`, start, label: signature, about: description }))
  const beginning = isSingle ? withPrefix(index, own, maxOffers) : []
  const others = search?.(index.metrics, phrase.replaceAll('_', ' '), maxOffers).metrics ?? []
  const ids = new Set([...beginning.slice(0, 5), ...others].map(({ id }) => id))
  const metrics = [...ids].map((id) => ({ insert: id, start, label: id, about: index.byId.get(id)?.name ?? '' }))
  const isDone = isSingle && index.byId.has(word) && metrics[0]?.insert === word
  return isDone ? metrics.slice(1, 5) : [...language, ...functions.slice(0, 3), ...metrics].slice(0, maxOffers)
}
