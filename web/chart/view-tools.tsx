import { useRef, useState } from 'preact/hooks'
import { isoDate, parseDay } from '#base/days.ts'
import { ownAxes } from '#contract/chart-options.ts'
import { paths } from '#contract/paths.ts'
import type { Status } from '#contract/status.ts'
import type { ChartSpecification } from '#render/page/page.ts'
import { readJson, request } from '../data/client.ts'
import { Button } from '../parts/button.tsx'
import { lazy } from '../parts/lazy.tsx'
import type { ShareProps } from './chart-options.ts'
import type { ChartProps } from './interactive-chart.tsx'

interface ViewToolsProps extends ShareProps, Pick<ChartProps, 'view' | 'onView'> {
  readonly drawn: ChartSpecification | undefined
}

/** Fields and buttons of a chart: the day on which it was seen, scales of axes, files and links. */
export function ViewTools({ drawn, view, onView, ...shared }: ViewToolsProps) {
  const [firstSeen, setFirstSeen] = useState<string>()
  const isLog = drawn?.axes[0]?.scale === 'log'
  const price = drawn?.axes.find(({ id }) => id === ownAxes.price)
  const [low, high] = view.axes?.[ownAxes.price] ?? []
  const priceScale = price?.scale === 'log' ? 'linear' : 'log'
  return (
    <>
      <label class="seen-on">
        As seen on{' '}
        <input
          class="field"
          type="date"
          min={firstSeen}
          value={view.asOf === undefined ? '' : isoDate(view.asOf)}
          onFocus={() => void readFirstSeen().then(setFirstSeen, () => undefined)}
          onChange={({ currentTarget }) => onView({ ...view, asOf: parseDay(currentTarget.value) || undefined })}
        />
        {firstSeen && <small>Known from {firstSeen} on</small>}
      </label>
      <Button
        aria-pressed={isLog}
        title={!price && drawn?.axes[1] ? 'All axes; for one, click its numbers' : undefined}
        // Stacks, bars by price and months have no logarithmic axis.
        disabled={drawn && drawn.series[0]?.stacked !== false}
        onClick={() => onView({ ...view, scale: isLog ? 'linear' : 'log' })}
      >
        Log
      </Button>
      {price && (
        <Button
          aria-pressed={price.scale === 'log'}
          onClick={() => onView({ ...view, axes: { ...view.axes, [ownAxes.price]: [low, high, priceScale] } })}
        >
          Log price
        </Button>
      )}
      {drawn?.axes.some(({ id }) => view.axes?.[id]) && (
        <Button onClick={() => onView({ ...view, axes: undefined })}>Reset axes</Button>
      )}
      <Share {...shared} />
    </>
  )
}

const ShareChoices = lazy(async () => (await import('./share-choices.tsx')).ShareChoices)

function Share(props: ShareProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  const open = (): void => {
    setOpen(true)
    dialog.current?.showModal()
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
            <ShareChoices {...props} />
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

/** Day of the oldest generation that a chart can be read from. */
async function readFirstSeen(): Promise<string | undefined> {
  const { generations } = await readJson<Status>(await request(paths.status.slice(1)))
  return generations.findLast(({ was_left }) => !was_left)?.at.slice(0, 10)
}
