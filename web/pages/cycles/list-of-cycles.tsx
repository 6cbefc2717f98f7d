import { isoDate } from '#base/days.ts'
import { grouped, longDate, writeValue } from '../../parts/numbers.ts'
import type { Cycle } from './read-cycles.ts'

/** When each cycle began, and how high it rose. */
export function ListOfCycles({ cycles }: { readonly cycles: readonly Cycle[] }) {
  return (
    <ol class="list-of-cycles">
      {cycles.map((cycle) => {
        const { number, firstDay, lastDay, isRunning, startPrice, high } = cycle
        return (
          <li key={number} class={isRunning ? 'running' : undefined}>
            <p>
              {longDate(isoDate(firstDay))}
              <span>{startPrice === undefined ? 'no market' : writeValue('USD', startPrice)}</span>
            </p>
            <p class="muted">
              {isRunning ? 'running for' : ''} {grouped(String(lastDay - firstDay + 1))} days
              {high && (
                <span>
                  high {writeValue('USD', high.price)}, day {grouped(String(high.offset))}
                </span>
              )}
            </p>
          </li>
        )
      })}
    </ol>
  )
}
