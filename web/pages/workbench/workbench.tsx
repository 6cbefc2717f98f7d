import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { go, pathTo, place } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { ChartPanel } from '../../chart/panel.tsx'
import { putViewInAddress, viewOfAddress } from '../../chart/view.ts'
import { readIndex } from '../../data/catalogue.ts'
import { health } from '../../data/freshness.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { type Bench, chartOf, emptyBench, firstBench, newLine, packBench, unpackBench } from './bench.ts'
import { problemOf } from './check-formula.ts'
import { Compare, firstCompared } from './compare.tsx'
import { Lines } from './lines.tsx'
import { Options } from './options.tsx'

/** Any metrics and formulas in one chart. What is on the bench stands in the address, so that back undoes a step. */
export function Workbench() {
  useTitle('Workbench')
  const { value: index, error, retry } = useAnswer(readIndex, [])
  const [bench, setBench] = useState<Bench>()
  const [isBroken, setBroken] = useState(false)
  const [colors, setColors] = useState<ReadonlyMap<string, string>>(new Map())
  const packed = place.value.query.get('c')
  const single = place.value.query.get('metrics')
  // To pack and to unpack takes a moment, in which the next change may be made: that counts then.
  const changes = useRef(0)

  useEffect(() => {
    let isWanted = true
    const before = changes.current
    const read = async (): Promise<Bench | undefined> => {
      if (packed !== null) return unpackBench(packed)
      return single === null
        ? firstBench
        : {
            ...emptyBench,
            lines: single
              .split(/,(?![^(]*\))/)
              .slice(0, 12)
              .map(newLine),
          }
    }
    void read().then((found) => {
      if (!isWanted || changes.current !== before) return
      setBroken(found === undefined)
      if (found) setBench(found)
    })
    return () => {
      isWanted = false
    }
  }, [packed, single])

  const change = (next: Bench): void => {
    const own = ++changes.current
    setBench(next)
    void packBench(next).then((text) => {
      if (changes.current !== own) return
      const query = new URLSearchParams(place.peek().query)
      // A field that loses its focus says again what Enter said.
      if (text === query.get('c')) return
      query.delete('metrics')
      query.set('c', text)
      go(`${pathTo('workbench')}?${query}`)
    })
  }
  const { shown, asked } = useMemo(() => {
    if (!bench || !index) return { shown: [], asked: undefined }
    const shown = bench.lines.filter(({ text, isHidden }) => !isHidden && text.trim() !== '' && !problemOf(text, index))
    return { shown, asked: shown.length === 0 ? undefined : chartOf(bench, shown, index) }
  }, [bench, index])
  const lastDate = health.value?.published?.last_date

  if (error && !index) return <Failed error={error} retry={retry} />
  const shownLines = bench?.lines.filter(({ isHidden }) => !isHidden) ?? []
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
          <button type="button" class="pill" onClick={() => change(bench ?? firstBench)}>
            Start another chart
          </button>
        </div>
      )}
      {bench && index && (
        <>
          {asked ? (
            <ChartPanel
              title={title}
              choices={
                <button type="button" class="pill" onClick={() => history.back()}>
                  Undo
                </button>
              }
              asked={asked}
              view={viewOfAddress('all')}
              onView={(view) => putViewInAddress(view, 'all')}
              onDrawn={({ series }) => setColors(colorsOf(series))}
              height={520}
            />
          ) : (
            <p class="muted nothing">Nothing to show yet: add a metric or a formula below.</p>
          )}
          <Lines lines={bench.lines} colors={colors} index={index} onLines={(lines) => change({ ...bench, lines })} />
          <Options bench={bench} onBench={change} />
          {bench.compared && shown.length > 0 ? (
            <Compare
              lines={shown}
              dates={bench.compared}
              index={index}
              onDates={(compared) => change({ ...bench, compared })}
            />
          ) : (
            <p>
              <button
                type="button"
                class="pill"
                disabled={lastDate === undefined || shown.length === 0}
                onClick={() => lastDate !== undefined && change({ ...bench, compared: firstCompared(lastDate) })}
              >
                Compare two days
              </button>
            </p>
          )}
        </>
      )}
    </div>
  )
}

/** Of drawn series; a formula is labelled by its text. */
const colorsOf = (series: readonly { readonly id: string; readonly label: string; readonly color: string }[]) =>
  new Map(series.flatMap(({ id, label, color }) => [[id, color] as const, [label, color] as const]))
