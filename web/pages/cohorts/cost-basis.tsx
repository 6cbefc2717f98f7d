import { useEffect, useState } from 'preact/hooks'
import { isoDate, parseDay } from '#base/days.ts'
import { replaceQuery, route } from '../../app/router.ts'
import { LazyPanel } from '../../chart/lazy-panel.tsx'
import { read } from '../../data/client.ts'
import { readHistories } from '../../data/columns.ts'
import { health } from '../../data/freshness.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { longDate, writeValue } from '../../parts/numbers.ts'
import { LoadFailure } from '../../parts/required-tier.tsx'
import { Distribution } from './distribution.tsx'

const settleMs = 150
const heatmap = {
  heatmap: { metric: 'cost_basis_distribution', color_scale: 'viridis' as const },
  overlay: 'price' as const,
}

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
  const settled = useDebounced(day)
  const { value, error, retry } = useAnswer(async () => {
    const [{ data }, [prices]] = await Promise.all([
      read('cost-basis', { date: isoDate(settled), limit: 10_000 }),
      readHistories(['price']),
    ])
    return { bins: data, price: prices?.values.get('price')?.[settled - prices.firstDay], day: settled }
  }, [settled])
  if (error !== undefined && !value) {
    return (
      <section>
        <h2>What coins cost</h2>
        <LoadFailure what="The cost of every coin is shown" error={error} retry={retry} />
      </section>
    )
  }
  return (
    <>
      <section>
        <h2>What coins cost on {longDate(isoDate(day))}</h2>
        <p class="muted">
          Supply by the price at which it last moved
          {value?.price !== undefined && !Number.isNaN(value.price) && (
            <>; the line is the price of that day, {writeValue('USD', value.price)}. Coins left of it are in profit</>
          )}
          .
        </p>
        <Distribution bins={value?.bins ?? []} price={value?.price} />
        <label class="slider">
          <span class="hidden">Day</span>
          <input
            type="range"
            min={firstDay}
            max={lastDay}
            value={day}
            aria-valuetext={longDate(isoDate(day))}
            onInput={({ currentTarget }) => {
              const chosen = Number(currentTarget.value)
              replaceQuery({ date: chosen === lastDay ? undefined : isoDate(chosen) })
            }}
          />
        </label>
      </section>
      <LazyPanel
        title="What coins cost over time"
        note="Bright bands are prices at which many coins last moved. Their buyers are in profit while the price is above the band."
        options={heatmap}
        defaultRange="1y"
      />
    </>
  )
}

/** Returns the value after it has not changed for `settleMs`. */
function useDebounced(value: number): number {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
