import { isoDate, parseDay } from '#base/days.ts'
import { read } from '../../data/client.ts'
import { readColumns } from '../../data/columns.ts'
import { longDate, writeChange, writeCount, writeValue } from '../../parts/numbers.ts'
import { useLastDay } from '../../parts/use-answer.tsx'

export function Price() {
  const { value, failure } = useLastDay(async (last) => {
    const [columns, cycles, today] = await Promise.all([
      readColumns(['price'], { from: isoDate(parseDay(last) - 40) }),
      read('cycle-boundaries', { limit: 1 }),
      read('today'),
    ])
    return { columns, cycle: cycles.data[0], today: openDay(today.data[0]) }
  })
  if (failure) return failure
  const prices = value?.columns.values.get('price')
  const close = prices?.at(-1)
  if (!value || !prices || close === undefined) {
    return (
      <div class="price">
        <p class="muted">{value ? 'No price yet' : '\u00a0'}</p>
        <h1>{'\u00a0'}</h1>
        <p>{'\u00a0'}</p>
      </div>
    )
  }
  const { cycle, today, columns } = value
  const changes = [
    { before: prices.at(-2), span: 'in a day' },
    { before: prices.at(-31), span: 'in 30 days' },
  ]
  return (
    <div class="price">
      <p class="muted">Bitcoin, close of {longDate(isoDate(columns.lastDay))}</p>
      <h1>{writeValue('USD', Math.round(close))}</h1>
      <p>
        {changes.map(
          ({ before, span }) =>
            before !== undefined && (
              <span key={span} class={close < before ? 'loss' : 'gain'}>
                {writeChange('USD', before, close)} {span}
              </span>
            ),
        )}
        {cycle && <span class="muted">day {columns.lastDay - parseDay(cycle.start_date)} since the halving</span>}
      </p>
      {today && (
        <p class="muted">
          Today so far {writeValue('USD', Math.round(today.price))} at block {writeCount(today.height)}, not final
        </p>
      )}
    </div>
  )
}

/** Undefined if the node is not followed. */
function openDay(row: Readonly<Record<string, unknown>> | undefined) {
  const { price, as_of_height: height } = row ?? {}
  return typeof price === 'number' && typeof height === 'number' ? { price, height } : undefined
}
