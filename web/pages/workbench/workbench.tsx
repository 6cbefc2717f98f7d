import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { go, pathTo, route } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { ChartPanel } from '../../chart/panel.tsx'
import { defaultRanges, readView, writeView } from '../../chart/view.ts'
import { readIndex } from '../../data/catalogue.ts'
import { health } from '../../data/freshness.ts'
import { Button } from '../../parts/button.tsx'
import { findProblem } from '../../parts/check-formula.ts'
import { lazy } from '../../parts/lazy.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Lines } from './lines.tsx'
import { addStep, chooseStep, redo, type Steps, undo } from './steps.ts'
import {
  defaultDates,
  emptyState,
  expandLines,
  initialState,
  newLine,
  packState,
  toChartOptions,
  unpackState,
  type WorkbenchState,
} from './workbench-state.ts'

const ChartSettings = lazy(async () => (await import('./chart-settings.tsx')).ChartSettings)
const SavedCharts = lazy(async () => (await import('./saved-charts.tsx')).SavedCharts)
const Compare = lazy(async () => (await import('./compare.tsx')).Compare)

/** The state is in the address, and so in the browser's history. */
export function Workbench() {
  useTitle('Workbench')
  const { value: index, failure } = useAnswer(readIndex, [])
  const [steps, setSteps] = useState<Steps>()
  // Keys may be faster than drawing.
  const latest = useRef<Steps>(undefined)
  const state = steps?.present
  const [isBroken, setBroken] = useState(false)
  const [colors, setColors] = useState<ReadonlyMap<string, string>>()
  const packed = route.value.query.get('c')
  const single = route.value.query.get('metrics')
  const template = route.value.query.get('template')
  // Packing takes time; a newer change wins.
  const changes = useRef(0)
  // Address of the present state; reading it could undo a newer change.
  const written = useRef<string>(undefined)

  useEffect(() => {
    if (packed !== null && packed === written.current) return
    let isWanted = true
    const before = changes.current
    const read = async (): Promise<WorkbenchState | undefined> => {
      if (packed !== null) return unpackState(packed)
      if (template !== null) return (await import('./from-template.ts')).readTemplate(template)
      return single === null
        ? initialState
        : {
            ...emptyState,
            lines: single
              .split(/,(?![^(]*\))/)
              .slice(0, 12)
              .map(newLine),
          }
    }
    void read().then((found) => {
      if (!isWanted || changes.current !== before) return
      setBroken(found === undefined)
      written.current = undefined
      if (found) setLatest(addStep(latest.current, found))
    })
    return () => {
      isWanted = false
    }
  }, [packed, single, template])

  const setLatest = (next: Steps): void => {
    latest.current = next
    setSteps(next)
  }
  const show = (next: Steps | undefined): void => {
    if (!next) return
    const own = ++changes.current
    setLatest(next)
    setBroken(false)
    void packState(next.present).then((text) => {
      if (changes.current !== own) return
      const query = new URLSearchParams(route.peek().query)
      // Losing focus repeats the change that Enter made.
      if (text === query.get('c')) return
      query.delete('metrics')
      query.delete('template')
      query.set('c', text)
      written.current = text
      go(`${pathTo('workbench')}?${query}`)
    })
  }
  const change = (part: Partial<WorkbenchState>): void =>
    show(addStep(latest.current, { ...(latest.current?.present ?? initialState), ...part }))
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = chooseStep(event)
      if (!step) return
      // The browser would change the last text field.
      event.preventDefault()
      show(step(latest.current))
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const { shown, options } = useMemo(() => {
    if (!state || !index) return { shown: [], options: undefined }
    const shown = expandLines(state.lines, index.byId).filter(
      ({ text, isHidden }) => !isHidden && text.trim() !== '' && !findProblem(text, index),
    )
    return { shown, options: shown.length === 0 ? undefined : toChartOptions(state, shown, index) }
  }, [state, index])
  const lastDate = health.value?.published?.last_date

  if (failure) return failure
  const shownLines = state?.lines.filter(({ isHidden }) => !isHidden) ?? []
  const names = shownLines
    .map(({ text }) => index?.byId.get(text.trim())?.name ?? text.trim())
    .slice(0, 4)
    .join(', ')
  const title = state?.title || names
  const formulas = shown.map(({ text }) => text.trim()).filter((text) => !index?.byId.has(text))
  const defaultRange = defaultRanges[state?.interval ?? 'day']
  const tools = steps && (
    <>
      <Button onClick={() => document.querySelector<HTMLElement>('.new input')?.focus()}>Add a series</Button>
      <Button
        disabled={steps.past.length === 0}
        aria-keyshortcuts="Control+Z"
        onClick={() => show(undo(latest.current))}
      >
        Undo
      </Button>
      <Button
        disabled={steps.future.length === 0}
        aria-keyshortcuts="Control+Shift+Z"
        onClick={() => show(redo(latest.current))}
      >
        Redo
      </Button>
    </>
  )
  return (
    <div class="workbench">
      <h1>Workbench</h1>
      {isBroken && (
        <div class="not-tracked" role="alert">
          <p>
            This address contains no chart: it was probably cut off when it was copied. Ask the sender for the complete
            address.
          </p>
          <Button onClick={() => change({})}>Start another chart</Button>
        </div>
      )}
      {state && index && (
        <>
          {options ? (
            <ChartPanel
              title={title}
              choices={tools}
              options={options}
              view={readView(defaultRange)}
              onView={(view) => writeView(view, defaultRange)}
              onDrawn={({ series }) => setColors(readColors(series))}
              height={520}
            />
          ) : (
            <>
              <div class="chart-tools">{tools}</div>
              <p class="muted nothing">Nothing to show yet: add a metric or a formula below.</p>
            </>
          )}
          <Lines lines={state.lines} colors={colors} index={index} onLines={(lines) => change({ lines })} />
          {/* These scripts come after that of the chart. */}
          {(colors || !options) && <ChartSettings state={state} onChange={change} />}
          {state.compared && shown.length > 0 ? (
            <Compare lines={shown} dates={state.compared} index={index} onDates={(compared) => change({ compared })} />
          ) : (
            <p>
              <Button
                disabled={lastDate === undefined || shown.length === 0}
                onClick={() => lastDate !== undefined && change({ compared: defaultDates(lastDate) })}
              >
                Compare two days
              </Button>
            </p>
          )}
          {options && colors && <SavedCharts title={title} formulas={formulas} />}
        </>
      )}
    </div>
  )
}

/** Colors by id and label; a formula's label is its text. */
const readColors = (series: readonly { readonly id: string; readonly label: string; readonly color: string }[]) =>
  new Map(series.flatMap(({ id, label, color }) => [[id, color] as const, [label, color] as const]))
