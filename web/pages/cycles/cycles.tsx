import { isoDate } from '#base/days.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import { replaceQuery, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import type { ChartOptions } from '../../chart/chart-options.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { longDate, writeCount, writeValue } from '../../parts/numbers.ts'
import { PillNav } from '../../parts/pill-nav.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { CycleDay } from './cycle-day.tsx'
import { readCycles } from './read-cycles.ts'

const families: readonly { readonly id: CycleFamily; readonly name: string }[] = [
  { id: 'halving', name: 'Since the halving' },
  { id: 'ath', name: 'Since the top' },
  { id: 'low', name: 'Since the low' },
]

const measures = [
  { id: 'price', name: 'Price', indexed: true, note: 'as a multiple of the price on its first day' },
  { id: 'drawdown', name: 'Drawdown', indexed: false, note: 'as its distance from the highest close so far' },
  { id: 'mvrv', name: 'MVRV', indexed: false, note: 'as what coins are worth divided by what they cost' },
  { id: 'lth_supply_percent', name: 'Long-term supply', indexed: false, note: 'as the share that holders have kept' },
] as const

export function Cycles() {
  useTitle('Cycles')
  const { query } = route.value
  const family = families.find(({ id }) => id === query.get('since')) ?? families[0]!
  const measure = measures.find(({ id }) => id === query.get('of')) ?? measures[0]
  const { value, failure } = useAnswer(() => readCycles(family.id), [family.id])
  const day = parseDay(query.get('day')) ?? value?.today
  const options: ChartOptions = {
    metric: measure.id,
    x_axis: 'day_offset',
    cycle_family: family.id,
    indexed: measure.indexed,
    ...(measure.id === 'price' && { scale: 'log' as const }),
  }
  return (
    <>
      <h1>Cycles</h1>
      <p class="lead">
        About every four years the halving cuts the number of new coins in half, and the market has risen and fallen
        around it. Here you see the same day of each cycle side by side. No cycle has to repeat the ones before.
      </p>
      <div class="choices-of-cycles">
        <PillNav label="Cycles begin" parameter="since" chosen={family.id} choices={families} />
        <PillNav label="Measure" parameter="of" chosen={measure.id} choices={measures} />
      </div>
      <div class="cycles">
        {value?.isRunningCut ? (
          <p class="lead">
            The history visible here begins within the current cycle, so there are no cycles to compare. A key, or an{' '}
            <a href={toHref('/account')}>account</a> of a higher tier, shows all cycles.
          </p>
        ) : (
          <LazyPanel
            key={`${family.id} ${measure.id}`}
            title={`${measure.name} ${family.name.toLowerCase()}`}
            note={`Each cycle ${measure.note}, day by day.`}
            options={options}
          />
        )}
        {value && (
          <ol class="list-of-cycles">
            {value.cycles.map(({ number, firstDay, lastDay, isRunning, isProvisional, startPrice, high }) => (
              <li key={number} class={isRunning ? 'running' : undefined}>
                <p>
                  {longDate(isoDate(firstDay))}
                  <span>{startPrice === undefined ? 'no market' : writeValue('USD', startPrice)}</span>
                </p>
                <p class="muted">
                  {isProvisional ? 'provisional, ' : ''} {isRunning ? 'running for' : ''}{' '}
                  {writeCount(lastDay - firstDay + 1)} days
                  {high && (
                    <span>
                      high {writeValue('USD', high.price)}, day {writeCount(high.offset)}
                    </span>
                  )}
                </p>
              </li>
            ))}
          </ol>
        )}
      </div>
      {failure}
      {value && day !== undefined && (
        <CycleDay
          read={value}
          day={Math.min(day, value.maxDays)}
          onDay={(next) => replaceQuery({ day: next === value.today ? undefined : String(next) })}
        />
      )}
      {!value && !failure && <Waiting lines={6} />}
      {value?.cycles[0]?.isProvisional && (
        <p class="remark">
          The newest cycle is provisional: it begins with the highest close so far, which counts as a top only after a
          fall of 75 %. A later high replaces it.
        </p>
      )}
      {value?.historyFrom !== undefined && (
        <p class="remark">
          The history visible here begins on {longDate(value.historyFrom)}; of earlier cycles you see only how they
          began. A key shows all of it.
        </p>
      )}
    </>
  )
}

const parseDay = (text: string | null): number | undefined =>
  text !== null && /^\d{1,5}$/.test(text) ? Number(text) : undefined
