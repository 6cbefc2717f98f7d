import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { go, pathTo, route } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { ChartPanel } from '../../chart/panel.tsx'
import { readView, writeView } from '../../chart/view.ts'
import { readIndex } from '../../data/catalogue.ts'
import { health } from '../../data/freshness.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Button } from '../../parts/button.tsx'
import { Failed } from '../../parts/failed.tsx'
import { ChartSettings } from './chart-settings.tsx'
import { findProblem } from './check-formula.ts'
import { Compare, defaultDates } from './compare.tsx'
import { Lines } from './lines.tsx'
import {
  emptyState,
  initialState,
  newLine,
  packState,
  toChartOptions,
  unpackState,
  type WorkbenchState,
} from './workbench-state.ts'

/** The state is in the address, so the browser's back button undoes a step. */
export function Workbench() {
  useTitle('Workbench')
  const { value: index, error, retry } = useAnswer(readIndex, [])
  const [state, setState] = useState<WorkbenchState>()
  const [isBroken, setBroken] = useState(false)
  const [colors, setColors] = useState<ReadonlyMap<string, string>>(new Map())
  const packed = route.value.query.get('c')
  const single = route.value.query.get('metrics')
  // Packing and unpacking take time; a newer change wins.
  const changes = useRef(0)

  useEffect(() => {
    let isWanted = true
    const before = changes.current
    const read = async (): Promise<WorkbenchState | undefined> => {
      if (packed !== null) return unpackState(packed)
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
      if (found) setState(found)
    })
    return () => {
      isWanted = false
    }
  }, [packed, single])

  const change = (next: WorkbenchState): void => {
    const own = ++changes.current
    setState(next)
    void packState(next).then((text) => {
      if (changes.current !== own) return
      const query = new URLSearchParams(route.peek().query)
      // Losing focus repeats the change that Enter made.
      if (text === query.get('c')) return
      query.delete('metrics')
      query.set('c', text)
      go(`${pathTo('workbench')}?${query}`)
    })
  }
  const { shown, options } = useMemo(() => {
    if (!state || !index) return { shown: [], options: undefined }
    const shown = state.lines.filter(
      ({ text, isHidden }) => !isHidden && text.trim() !== '' && !findProblem(text, index),
    )
    return { shown, options: shown.length === 0 ? undefined : toChartOptions(state, shown, index) }
  }, [state, index])
  const lastDate = health.value?.published?.last_date

  if (error && !index) return <Failed error={error} retry={retry} />
  const shownLines = state?.lines.filter(({ isHidden }) => !isHidden) ?? []
  const title = shownLines
    .map(({ text }) => index?.byId.get(text.trim())?.name ?? text.trim())
    .slice(0, 4)
    .join(', ')
  return (
    <div class="workbench">
      <h1>Workbench</h1>
      {isBroken && (
        <div class="not-tracked" role="alert">
          <p>
            This address contains no chart: it was probably cut off when it was copied. Ask the sender for the complete
            address.
          </p>
          <Button onClick={() => change(state ?? initialState)}>Start another chart</Button>
        </div>
      )}
      {state && index && (
        <>
          {options ? (
            <ChartPanel
              title={title}
              choices={<Button onClick={() => history.back()}>Undo</Button>}
              options={options}
              view={readView('all')}
              onView={(view) => writeView(view, 'all')}
              onDrawn={({ series }) => setColors(readColors(series))}
              height={520}
            />
          ) : (
            <p class="muted nothing">Nothing to show yet: add a metric or a formula below.</p>
          )}
          <Lines lines={state.lines} colors={colors} index={index} onLines={(lines) => change({ ...state, lines })} />
          <ChartSettings state={state} onState={change} />
          {state.compared && shown.length > 0 ? (
            <Compare
              lines={shown}
              dates={state.compared}
              index={index}
              onDates={(compared) => change({ ...state, compared })}
            />
          ) : (
            <p>
              <Button
                disabled={lastDate === undefined || shown.length === 0}
                onClick={() => lastDate !== undefined && change({ ...state, compared: defaultDates(lastDate) })}
              >
                Compare two days
              </Button>
            </p>
          )}
        </>
      )}
    </div>
  )
}

/** Colors by id and label; a formula's label is its text. */
const readColors = (series: readonly { readonly id: string; readonly label: string; readonly color: string }[]) =>
  new Map(series.flatMap(({ id, label, color }) => [[id, color] as const, [label, color] as const]))
