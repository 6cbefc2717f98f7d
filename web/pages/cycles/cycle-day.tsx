import { isoDate } from '#base/days.ts'
import { Button } from '../../parts/button.tsx'
import { writeCount, writeValue } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import type { Cycle, Cycles } from './read-cycles.ts'

interface CycleDayProps {
  readonly read: Cycles
  readonly day: number
  readonly onDay: (day: number) => void
}

export function CycleDay({ read, day, onDay }: CycleDayProps) {
  const isWithin = ({ firstDay, lastDay }: Cycle): boolean => firstDay + day <= lastDay
  const valueIn = (cycle: Cycle, measure: 'price' | 'drawdown' | 'mvrv'): number =>
    (isWithin(cycle) ? read.valueOn(measure, cycle.firstDay + day) : undefined) ?? Number.NaN
  const write = (unit: string, value: number): string => (Number.isNaN(value) ? '–' : writeValue(unit, value))
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
        <Table
          rows={read.cycles}
          rowProps={({ isRunning }) => ({ class: isRunning ? 'running' : undefined })}
          columns={[
            {
              name: 'Cycle',
              show: ({ number, firstDay, lastDay, isRunning }) => (
                <>
                  {isoDate(firstDay).slice(0, 4)}–{isRunning ? 'now' : isoDate(lastDay).slice(2, 4)}
                  <span class="hidden">, cycle {number}</span>
                </>
              ),
            },
            {
              name: 'Date',
              show: (cycle) =>
                isWithin(cycle) ? isoDate(cycle.firstDay + day) : cycle.isRunning ? 'still to come' : 'had ended',
            },
            { name: 'Price', class: 'number', show: (cycle) => write('USD', valueIn(cycle, 'price')) },
            {
              name: 'Since day 0',
              class: 'number',
              show: (cycle) => formatMultiple(valueIn(cycle, 'price') / (cycle.startPrice || Number.NaN)),
            },
            {
              name: 'Below its high',
              class: 'number not-phone',
              show: (cycle) => write('percent', 100 * valueIn(cycle, 'drawdown')),
            },
            { name: 'MVRV', class: 'number not-phone', show: (cycle) => write('ratio', valueIn(cycle, 'mvrv')) },
          ]}
        />
      </section>
    </section>
  )
}

const formatMultiple = (value: number): string =>
  Number.isNaN(value) ? '–' : `×${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)}`
