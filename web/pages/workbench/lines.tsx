import { useEffect, useRef } from 'preact/hooks'
import { pathTo, toHref } from '../../app/router.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import { Button } from '../../parts/button.tsx'
import { FormulaField } from '../../parts/formula-field.tsx'
import { Select } from '../../parts/select.tsx'
import { useReorder } from '../../parts/use-reorder.ts'
import { axes, expandLines, keepReferences, type Line, nameLines, newLine, styles } from './workbench-state.ts'

interface LinesProps {
  readonly lines: readonly Line[]
  /** Drawn colors by line text. */
  readonly colors: ReadonlyMap<string, string> | undefined
  readonly index: CatalogueIndex
  readonly onLines: (lines: readonly Line[]) => void
}

export function Lines({ lines, colors, index, onLines }: LinesProps) {
  const change = (i: number, part: Partial<Line>): void =>
    onLines(lines.map((line, at) => (at === i ? { ...line, ...part } : line)))
  const names = nameLines(lines, index.byId)
  const expanded = expandLines(lines, index.byId)
  const list = useRef<HTMLOListElement>(null)
  const arrange = (next: readonly Line[]): void => onLines(keepReferences(lines, next, index.byId))
  const move = (from: number, to: number): void =>
    arrange(lines.toSpliced(from, 1).toSpliced(to, 0, ...lines.slice(from, from + 1)))
  /** Row to focus after rendering. */
  const focused = useRef<number>(undefined)
  /** Enter in the last field, which stays ready for another series. */
  const isAdding = useRef(false)
  useEffect(() => {
    if (isAdding.current) list.current?.querySelector<HTMLElement>('.new input')?.focus()
    isAdding.current = false
    if (focused.current === undefined) return
    list.current?.querySelectorAll<HTMLElement>('.line .handle')[focused.current]?.focus()
    focused.current = undefined
  })
  const press = (event: KeyboardEvent, row: number): void => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    event.stopPropagation()
    const to = row + (event.key === 'ArrowUp' ? -1 : 1)
    if (to < 0 || to >= lines.length) return
    focused.current = to
    move(row, to)
  }
  const { handle, itemTransform, dragged } = useReorder(
    () => [...(list.current?.querySelectorAll<HTMLElement>('.line:not(.new)') ?? [])],
    move,
  )
  return (
    <ol ref={list} class="lines">
      {lines.map((line, i) => {
        const name = index.byId.get(line.text.trim())?.name ?? line.text
        return (
          <li
            key={i}
            class={['line', line.isHidden && 'is-hidden', dragged === i && 'is-dragged'].filter(Boolean).join(' ')}
            style={{ transform: itemTransform(i) }}
          >
            <button
              type="button"
              class="handle"
              aria-label={`${names[i]}: move ${name}: drag, or press up or down`}
              disabled={lines.length < 2}
              onKeyDown={(event) => press(event, i)}
              {...handle(i)}
            >
              <Dots />
              <code>{names[i]}</code>
            </button>
            <input
              type="color"
              aria-label={`Colour of ${name}`}
              value={line.color || colors?.get(line.text.trim()) || '#808080'}
              onChange={({ currentTarget }) => change(i, { color: currentTarget.value })}
            />
            <FormulaField
              value={line.text}
              label={`Series ${i + 1}`}
              index={index}
              others={names.slice(0, i)}
              onCommit={(text) => change(i, { text })}
            />
            <Select
              label={`Axis of ${name}`}
              choices={axes}
              value={line.axis}
              onChange={(axis) => change(i, { axis })}
            />
            <Select
              label={`Style of ${name}`}
              choices={styles}
              value={line.style}
              onChange={(style) => change(i, { style })}
            />
            <div class="actions">
              <Button aria-pressed={!line.isHidden} onClick={() => change(i, { isHidden: !line.isHidden })}>
                Shown
              </Button>
              <a
                class="pill"
                href={`${toHref(pathTo('alerts'))}?${new URLSearchParams({ watch: expanded[i]!.text.trim() })}`}
              >
                Alert<span class="hidden"> on {name}</span>
              </a>
              <Button aria-label={`Remove ${name}`} onClick={() => arrange(lines.filter((_, at) => at !== i))}>
                Remove
              </Button>
            </div>
          </li>
        )
      })}
      <li class="line new">
        <FormulaField
          // A new key empties the field.
          key={lines.length}
          value=""
          label="Add a metric or formula"
          placeholder="Add a metric or a formula, such as price / sma(price, 200) or m1 / m2"
          index={index}
          others={names}
          onCommit={(text) => {
            if (text.trim() === '') return
            // The removed field repeats it, without the focus.
            isAdding.current ||= document.activeElement?.closest('.new') != null
            onLines([...lines, newLine(text.trim())])
          }}
        />
      </li>
    </ol>
  )
}

/** Six dots, because the glyph would load a font. */
const Dots = () => (
  <svg viewBox="0 0 10 16" width="10" height="16" aria-hidden="true">
    {[3, 8, 13].flatMap((y) =>
      [2, 8].map((x) => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.4" fill="currentColor" />),
    )}
  </svg>
)
