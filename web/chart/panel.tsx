import type { ComponentChildren, FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type RangeName, rangeNames } from '#contract/chart-options.ts'
import type { ChartSpecification } from '#render/page/page.ts'
import { addKeyHandler } from '../app/keyboard.ts'
import { Button } from '../parts/button.tsx'
import { useAttempt } from '../parts/use-attempt.ts'
import { useNear } from '../parts/use-near.ts'
import type { ChartOptions, ShareProps } from './chart-options.ts'
import { HistoryNote } from './history-note.tsx'
import { InteractiveChart } from './interactive-chart.tsx'
import { applyView, type View } from './view.ts'

const labels: Readonly<Record<RangeName, string>> = { '1y': '1y', '4y': '4y', cycle: 'Cycle', all: 'All' }

export interface PanelProps {
  readonly title: string
  /** How to read the chart. */
  readonly note?: string
  readonly options: ChartOptions
  readonly view: View
  readonly onView: (view: View) => void
  readonly height?: number
  /** Controls shown instead of the title, if the page's heading already names the chart. */
  readonly choices?: ComponentChildren
  /** Called with each drawn chart, for example to read the colors of its series. */
  readonly onDrawn?: (drawn: ChartSpecification) => void
}

export function ChartPanel({ title, note, options, view, onView, height, choices, onDrawn }: PanelProps) {
  const [drawn, setDrawn] = useState<ChartSpecification>()
  const isLog = drawn?.axes[0]?.scale === 'log'
  const shown = drawn?.x.days
  const isOverTime = options.x_axis !== 'day_offset'
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
          <div class="chart-tools">{choices}</div>
        )}
        <div class="chart-tools">
          {isOverTime && <HistoryNote />}
          {isOverTime &&
            rangeNames.map((range) => (
              <Button
                key={range}
                aria-pressed={!view.days && view.range === range}
                onClick={() => onView({ ...view, range, days: undefined })}
              >
                {labels[range]}
              </Button>
            ))}
          <Button aria-pressed={isLog} onClick={() => onView({ ...view, scale: isLog ? 'linear' : 'log' })}>
            Log
          </Button>
          <Share
            options={applyView(options, view)}
            title={title}
            note={note}
            days={isOverTime && shown ? [shown[0] ?? 0, shown.at(-1) ?? 0] : undefined}
          />
        </div>
      </div>
      <InteractiveChart
        options={options}
        view={view}
        onView={onView}
        label={title}
        onDrawn={(specification) => {
          setDrawn(specification)
          onDrawn?.(specification)
        }}
        {...(height !== undefined && { height })}
      />
    </section>
  )
}

function Share(props: ShareProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [loaded, setLoaded] = useState<{ readonly Choices: FunctionComponent<ShareProps> }>()
  const { problem, attempt } = useAttempt()
  const [isOpen, setOpen] = useState(false)
  const open = (): void => {
    setOpen(true)
    dialog.current?.showModal()
    void attempt(async () => setLoaded({ Choices: (await import('./share-choices.tsx')).ShareChoices }))
  }
  return (
    <>
      <Button class="share-opener" aria-haspopup="dialog" onClick={open}>
        Save or share
      </Button>
      <dialog ref={dialog} class="share" aria-label="Save or share" onClose={() => setOpen(false)}>
        {isOpen && (
          <>
            <h2>{props.title}</h2>
            {loaded && <loaded.Choices {...props} />}
            {problem && <p role="alert">{problem}</p>}
            <form method="dialog">
              <button type="submit" class="pill">
                Close
              </button>
            </form>
          </>
        )}
      </dialog>
    </>
  )
}

/** Reserves the height of the chart and its controls, in pixels, so that nothing jumps. */
const defaultHeight = 460
const surroundingHeight = 56

/** A chart that keeps its own view and is drawn when the reader scrolls near. */
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
