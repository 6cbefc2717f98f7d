import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isoDate } from '#base/days.ts'
import { type RangeName, rangeNames } from '#contract/chart-options.ts'
import type { ChartSpecification } from '#render/page/page.ts'
import { addKeyHandler } from '../app/keyboard.ts'
import { Button } from '../parts/button.tsx'
import { lazy } from '../parts/lazy.tsx'
import { longDate } from '../parts/numbers.ts'
import { useNear } from '../parts/use-near.ts'
import type { ShareProps } from './chart-options.ts'
import { DateFields } from './date-fields.tsx'
import { HistoryNote } from './history-note.tsx'
import { type ChartProps, InteractiveChart } from './interactive-chart.tsx'
import { applyView, type View } from './view.ts'
import { isBeyondHistory } from './visible-history.ts'

const labels: Readonly<Partial<Record<RangeName, string>>> = { ytd: 'YTD', cycle: 'Cycle', all: 'All' }

interface PanelProps extends Pick<ChartProps, 'options' | 'view' | 'onView' | 'height'> {
  readonly title: string
  readonly note?: string
  /** Replace the title if the page's heading names the chart. */
  readonly choices?: ComponentChildren
  readonly onDrawn?: (drawn: ChartSpecification) => void
}

export function ChartPanel({ title, note: ownNote, options, view, onView, height, choices, onDrawn }: PanelProps) {
  const [drawn, setDrawn] = useState<ChartSpecification>()
  const [description, setDescription] = useState('')
  const inView = applyView(options, view)
  const seenOn = view.asOf === undefined ? '' : isoDate(view.asOf)
  const note = seenOn === '' ? ownNote : `As seen on ${longDate(seenOn)}. ${ownNote ?? ''}`
  const shown = drawn?.x.days
  const isOverTime = options.x_axis !== 'day_offset' && options.histogram === undefined
  const drawnDays: View['days'] = shown && [shown[0] ?? 0, shown.at(-1) ?? 0]
  const range = view.days ? undefined : isBeyondHistory(view.range) ? 'all' : view.range
  useEffect(
    () =>
      addKeyHandler(({ key }) => {
        if (key === 'e') document.querySelector<HTMLElement>('.share-opener')?.click()
        return key === 'e'
      }),
    [],
  )
  return (
    <section>
      <div class="chart-head">
        {choices === undefined ? (
          <div>
            <h2>{title}</h2>
            {note && <p class="muted">{note}</p>}
          </div>
        ) : (
          <div class="chart-tools">
            {choices}
            {seenOn !== '' && <b>{note}</b>}
          </div>
        )}
        <div class="chart-tools">
          {isOverTime && (
            <>
              <HistoryNote />
              <Ranges range={range} onRange={(name) => onView({ ...view, range: name, days: undefined })} />
              <DateFields days={view.days ?? drawnDays} onDays={(chosen) => onView({ ...view, days: chosen })} />
            </>
          )}
          <div class="view-tools">
            {/* This script comes after that of the chart, which an earlier day may lack. */}
            {(drawn || view.asOf !== undefined) && (
              <ViewTools
                {...{ drawn, view, onView, title, note, options: inView }}
                days={isOverTime ? drawnDays : undefined}
              />
            )}
          </div>
        </div>
      </div>
      <InteractiveChart
        options={options}
        view={view}
        onView={onView}
        label={title}
        onDrawn={(specification, text) => {
          setDrawn(specification)
          setDescription(text)
          onDrawn?.(specification)
        }}
        {...(height !== undefined && { height })}
      />
      <InWords description={description} options={inView} title={title} />
    </section>
  )
}

interface RangesProps {
  readonly range: RangeName | undefined
  readonly onRange: (range: RangeName) => void
}

export const Ranges = ({ range, onRange }: RangesProps) => (
  <div class="ranges">
    {rangeNames.map((name) => (
      <Button key={name} aria-pressed={name === range} disabled={isBeyondHistory(name)} onClick={() => onRange(name)}>
        {labels[name] ?? name}
      </Button>
    ))}
  </div>
)

const ViewTools = lazy(async () => (await import('./view-tools.tsx')).ViewTools)
const ValueTable = lazy(async () => (await import('./value-table.tsx')).ValueTable)

function InWords({ description, ...props }: { readonly description: string } & Pick<ShareProps, 'options' | 'title'>) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details class="in-words" onToggle={() => setOpened(true)}>
      <summary>In words and numbers</summary>
      <p>{description}</p>
      {wasOpened && <ValueTable {...props} />}
    </details>
  )
}

/** Reserved pixels, so that nothing jumps. */
const defaultHeight = 460
const surroundingHeight = 100

/** Keeps its own view and draws when scrolled near. */
export function LazyPanel({
  defaultRange = 'all',
  start = { range: defaultRange, days: undefined, scale: undefined },
  ...props
}: Omit<PanelProps, 'view' | 'onView'> & { readonly defaultRange?: RangeName; readonly start?: View }) {
  const [view, setView] = useState<View>(start)
  const { target: place, isNear } = useNear<HTMLDivElement>()
  if (isNear) return <ChartPanel {...props} view={view} onView={setView} />
  return (
    <section>
      {props.choices === undefined && (
        <>
          <h2>{props.title}</h2>
          <p class="muted">{props.note}</p>
        </>
      )}
      <div ref={place} style={{ height: `${(props.height ?? defaultHeight) + surroundingHeight}px` }} />
    </section>
  )
}
