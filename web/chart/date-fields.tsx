import { useRef, useState } from 'preact/hooks'
import { isoDate, parseDay } from '#base/days.ts'
import { visibleHistory } from './visible-history.ts'

type Days = readonly [from: number, to: number]

interface DateFieldsProps {
  /** Unix days; undefined until the chart is drawn. */
  readonly days: Days | undefined
  readonly onDays: (days: Days) => void
}

/** Clamps days to the visible history. */
export function DateFields({ days, onDays }: DateFieldsProps) {
  const [draft, setDraft] = useState<{ readonly place: number; readonly text: string }>()
  /** Typed dates count on blur, because their parts change one by one. */
  const isTyping = useRef(false)
  const { first = Number.NEGATIVE_INFINITY, last = Number.POSITIVE_INFINITY } = visibleHistory() ?? {}
  const commit = (place: number, text: string): void => {
    const day = Math.min(last, Math.max(first, parseDay(text)))
    // An empty field keeps its date.
    if (!days || Number.isNaN(day) || day === days[place]) return
    const [from, to] = days
    // A day beyond the other end moves both.
    if (place === 0) onDays([day, day <= to ? to : Math.min(last, day + to - from)])
    else onDays([day >= from ? from : Math.max(first, day - to + from), day])
  }
  return (
    <span class="dates">
      {(['From', 'To'] as const).map((label, place) => (
        <input
          key={label}
          class="field"
          type="date"
          aria-label={label}
          min={Number.isFinite(first) ? isoDate(first) : undefined}
          max={Number.isFinite(last) ? isoDate(last) : undefined}
          value={draft?.place === place ? draft.text : days && isoDate(days[place] ?? 0)}
          onInput={({ currentTarget: { value } }) => {
            setDraft({ place, text: value })
            if (!isTyping.current) commit(place, value)
          }}
          onPointerDown={() => {
            isTyping.current = false
          }}
          onKeyDown={({ key, currentTarget }) => {
            isTyping.current = true
            if (key === 'Enter') currentTarget.blur()
          }}
          onBlur={() => {
            if (draft) commit(place, draft.text)
            setDraft(undefined)
            isTyping.current = false
          }}
        />
      ))}
    </span>
  )
}
