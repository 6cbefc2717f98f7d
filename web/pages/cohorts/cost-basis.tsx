import { isoDate, parseDay } from '#base/days.ts'
import { replaceQuery, route } from '../../app/router.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { type Row, read } from '../../data/client.ts'
import { readHistories } from '../../data/columns.ts'
import { health } from '../../data/freshness.ts'
import { LoadFailure } from '../../parts/failed.tsx'
import { longDate, writeValue } from '../../parts/numbers.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { useDebounced } from '../../parts/use-debounced.ts'

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
  const settled = useDebounced(day, settleMs)
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

type Bin = Row<'cost-basis'>

const barCount = 150
/** Share of the cheapest coins left out, to give bars room. */
const omittedShare = 0.001
const [width, height] = [1_000, 220]

function Distribution({ bins, price }: { readonly bins: readonly Bin[]; readonly price: number | undefined }) {
  const priced = bins.filter(({ upper_price }) => upper_price > 0)
  const total = priced.reduce((sum, { supply }) => sum + supply, 0)
  if (total === 0) {
    return <p class="distribution muted">{bins.length > 0 ? 'No coin had a price yet.' : '\u00a0'}</p>
  }
  const from = cheapest(priced, omittedShare * total)
  const to = Math.max(...priced.map(({ upper_price }) => upper_price), price ?? 0) * 1.02
  const span = Math.log(to / from)
  const x = (value: number): number => (width * Math.log(value / from)) / span
  const bars = new Float64Array(barCount)
  for (const { lower_price, upper_price, supply } of priced) {
    if (lower_price < from) continue
    const middle = Math.sqrt(lower_price * upper_price)
    const bar = Math.min(barCount - 1, Math.floor((barCount * Math.log(middle / from)) / span))
    bars[bar]! += supply
  }
  const max = Math.max(...bars)
  const step = width / barCount
  const isBelow = (bar: number): boolean => price !== undefined && (bar + 0.5) * step < x(price)
  return (
    <div class="distribution">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label="Supply by its cost">
        {Array.from(bars, (supply, bar) => (
          <rect
            key={bar}
            class={isBelow(bar) ? 'profit' : 'loss'}
            x={bar * step + 0.5}
            width={step - 1}
            y={height - (height * supply) / max}
            height={(height * supply) / max}
          />
        ))}
        {price !== undefined && !Number.isNaN(price) && <line x1={x(price)} x2={x(price)} y1="0" y2={height} />}
      </svg>
      <div class="ticks" aria-hidden="true">
        {ticksBetween(from, to)
          // A tick at the right edge would overflow.
          .filter((tick) => x(tick) < 0.95 * width)
          .map((tick) => (
            <span key={tick} style={{ left: `${(100 * x(tick)) / width}%` }}>
              {writeValue('USD', tick).replace('.00', '')}
            </span>
          ))}
      </div>
    </div>
  )
}

/** The price below which `amount` coins lie. */
function cheapest(bins: readonly Bin[], amount: number): number {
  let sum = 0
  for (const { lower_price, supply } of bins) {
    sum += supply
    if (sum > amount && lower_price > 0) return lower_price
  }
  return 1
}

function ticksBetween(from: number, to: number): number[] {
  const powers = Array.from({ length: 16 }, (_, i) => 10 ** (i - 6))
  const ticks = Math.log10(to / from) < 2 ? powers.flatMap((power) => [power, 2 * power, 5 * power]) : powers
  return ticks.filter((tick) => tick >= from && tick <= to)
}
