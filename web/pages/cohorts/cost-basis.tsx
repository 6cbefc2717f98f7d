import { isoDate, parseDay } from '#base/days.ts'
import { replaceQuery, route } from '../../app/router.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { health } from '../../data/freshness.ts'
import { longDate } from '../../parts/numbers.ts'
import { useDebounced } from '../../parts/use-debounced.ts'

const settleMs = 150
const metric = 'cost_basis_distribution'
const heatmap = { heatmap: { metric, color_scale: 'viridis' as const }, overlay: 'price' as const }

export function CostBasis() {
  const { first_date, last_date } = health.value?.published ?? {}
  if (first_date === undefined || last_date === undefined) return null
  const [firstDay, lastDay] = [parseDay(first_date), parseDay(last_date)]
  const requested = parseDay(route.value.query.get('date') ?? last_date) || lastDay
  return <OfDay day={Math.min(lastDay, Math.max(firstDay, requested))} firstDay={firstDay} lastDay={lastDay} />
}

interface OfDayProps {
  readonly day: number
  readonly firstDay: number
  readonly lastDay: number
}

function OfDay({ day, firstDay, lastDay }: OfDayProps) {
  const settled = useDebounced(day, settleMs)
  const choose = (chosen: number): void => {
    if (chosen >= firstDay && chosen <= lastDay) {
      replaceQuery({ date: chosen === lastDay ? undefined : isoDate(chosen) })
    }
  }
  return (
    <>
      <div class="slider">
        <label class="seen-on">
          Date of the costs
          <input
            class="field"
            type="date"
            min={isoDate(firstDay)}
            max={isoDate(lastDay)}
            value={isoDate(day)}
            onChange={({ currentTarget }) => choose(parseDay(currentTarget.value))}
          />
        </label>
        <input
          type="range"
          aria-label="Day"
          min={firstDay}
          max={lastDay}
          value={day}
          aria-valuetext={longDate(isoDate(day))}
          onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
        />
      </div>
      <LazyPanel
        title={`What coins cost on ${longDate(isoDate(settled))}`}
        note="Supply by the price at which it last moved. The line is the price of that day; coins left of it are in profit."
        options={{ histogram: { metric, date: settled, scale: 'log', bins: 150 } }}
        height={320}
      />
      <LazyPanel
        title="What coins cost over time"
        note="Bright bands are prices at which many coins last moved. Their buyers are in profit while the price is above the band."
        options={heatmap}
        defaultRange="1y"
      />
    </>
  )
}
