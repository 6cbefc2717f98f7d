import { isoDate } from '#base/days.ts'
import { Button } from '../../parts/button.tsx'
import { writeCount, writeValue } from '../../parts/numbers.ts'
import { TableHead } from '../../parts/sortable-table.tsx'
import type { Cycle, Cycles } from './read-cycles.ts'

interface CycleDayProps {
  readonly read: Cycles
  readonly day: number
  readonly onDay: (day: number) => void
}

export function CycleDay({ read, day, onDay }: CycleDayProps) {
  return (
    <section>
      <h2>Day {writeCount(day)}: then and now</h2>
      <p class="muted">
        {day === read.today
          ? 'The newest day of the current cycle, compared with the same day of earlier cycles.'
          : 'The same day of each cycle.'}
      </p>
      <label class="slider">
        <span class="hidden">Day of the cycle</span>
        <input
          type="range"
          min={0}
          max={read.maxDays}
          value={day}
          onInput={({ currentTarget }) => onDay(Number(currentTarget.value))}
        />
      </label>
      {day !== read.today && <Button onClick={() => onDay(read.today)}>Back to day {writeCount(read.today)}</Button>}
      <section class="table" aria-label={`Day ${day} of each cycle`}>
        <table>
          <TableHead
            columns={[
              'Cycle',
              'Date',
              ['Price', 'number'],
              ['Since day 0', 'number'],
              ['Below its high', 'number not-phone'],
              ['MVRV', 'number not-phone'],
            ]}
          />
          <tbody>
            {read.cycles.map((cycle) => (
              <Row key={cycle.number} cycle={cycle} date={cycle.firstDay + day} valueOn={read.valueOn} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}

interface RowProps {
  readonly cycle: Cycle
  readonly date: number
  readonly valueOn: Cycles['valueOn']
}

function Row({ cycle, date, valueOn }: RowProps) {
  const { number, firstDay, lastDay, isRunning, startPrice } = cycle
  const isWithin = date <= lastDay
  const price = isWithin ? valueOn('price', date) : undefined
  const drawdown = isWithin ? valueOn('drawdown', date) : undefined
  const mvrv = isWithin ? valueOn('mvrv', date) : undefined
  return (
    <tr class={isRunning ? 'running' : undefined}>
      <th scope="row">
        {isoDate(firstDay).slice(0, 4)}–{isRunning ? 'now' : isoDate(lastDay).slice(2, 4)}
        <span class="hidden">, cycle {number}</span>
      </th>
      <td>{isWithin ? isoDate(date) : isRunning ? 'still to come' : 'had ended'}</td>
      <td class="number">{price === undefined ? '–' : writeValue('USD', price)}</td>
      <td class="number">{price === undefined || !startPrice ? '–' : multiple(price / startPrice)}</td>
      <td class="number not-phone">{drawdown === undefined ? '–' : writeValue('percent', 100 * drawdown)}</td>
      <td class="number not-phone">{mvrv === undefined ? '–' : writeValue('ratio', mvrv)}</td>
    </tr>
  )
}

const multiple = (value: number): string => `×${value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)}`
