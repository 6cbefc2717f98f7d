import { parseDay } from '#base/days.ts'
import { theme } from '../../app/theme.ts'
import { composeChart } from '../../chart/compose.ts'
import { readingUnit, writeDifference, writeReading } from '../../chart/readings.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import { Button } from '../../parts/button.tsx'
import { longDate, writeChange } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { emptyState, type Line, toChartOptions, type WorkbenchState } from './workbench-state.ts'

interface CompareProps {
  /** Visible and valid lines. */
  readonly lines: readonly Line[]
  readonly dates: NonNullable<WorkbenchState['compared']>
  readonly index: CatalogueIndex
  readonly onDates: (dates: WorkbenchState['compared']) => void
}

export function Compare({ lines, dates: [first, second], index, onDates }: CompareProps) {
  const { value, failure } = useAnswer(
    () => valuesOn(lines, [first, second], index),
    [lines.map(({ text }) => text).join('\n'), first, second],
  )
  const field = (place: 0 | 1, label: string, date: string) => (
    <label>
      <span>{label}</span>
      <input
        class="field"
        type="date"
        value={date}
        onChange={({ currentTarget }) => {
          // An empty field keeps its date.
          if (Number.isNaN(parseDay(currentTarget.value))) currentTarget.value = date
          else onDates(place === 0 ? [currentTarget.value, second] : [first, currentTarget.value])
        }}
      />
    </label>
  )
  return (
    <section class="compare" aria-labelledby="compare-title">
      <h2 id="compare-title">Two days compared</h2>
      <div class="options">
        {field(0, 'Day A', first)}
        {field(1, 'Day B', second)}
        <Button onClick={() => onDates([second, first])}>Swap</Button>
        <Button onClick={() => onDates(undefined)}>Stop comparing</Button>
      </div>
      {failure ?? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is wider than a phone
        <section class="table" aria-label="Values on both days" tabIndex={0}>
          <Table
            rows={lines.map(({ text, label = text }, i) => ({ text, label, both: value?.[i] }))}
            columns={[
              { name: 'Series', show: ({ text, label }) => index.byId.get(text.trim())?.name ?? label },
              {
                name: `A: ${longDate(first)}`,
                show: ({ both }) => (both ? writeReading(both.unit, both.a) : '\u00a0'),
              },
              {
                name: `B: ${longDate(second)}`,
                show: ({ both }) => (both ? writeReading(both.unit, both.b) : '\u00a0'),
              },
              { name: 'Difference', show: ({ both }) => both && writeDifference(both.unit, both.a, both.b) },
              { name: 'Percent', show: ({ both }) => both && writePercent(both) },
            ]}
          />
        </section>
      )}
    </section>
  )
}

interface Compared {
  readonly unit: string
  readonly a: number
  readonly b: number
}

/** Only amounts above zero have a meaningful percentage. */
const writePercent = ({ a, b }: Compared): string => (a > 0 && b >= 0 ? (writeChange('', a, b) ?? '') : '')

/** Daily values, independent of the chart's settings. */
async function valuesOn(
  lines: readonly Line[],
  dates: readonly [string, string],
  index: CatalogueIndex,
): Promise<Compared[]> {
  const options = toChartOptions({ ...emptyState, lines }, lines, index)
  const { x, axes, series } = await composeChart(
    { ...options, range: 'all' },
    { width: 600, height: 300, theme: theme.peek(), isExact: true },
  )
  const [first = 0] = x.days
  const rows = dates.map((date) => parseDay(date) - first)
  let formulas = 0
  return lines.map(({ text }) => {
    const id = index.byId.get(text.trim())?.id ?? `f${++formulas}`
    const drawn = series.find((one) => one.id === id)
    const axis = axes.find((one) => one.id === drawn?.axisId)
    if (!drawn || !axis) return { unit: '', a: Number.NaN, b: Number.NaN }
    const { unit, factor } = readingUnit(drawn, axis)
    const [a = Number.NaN, b = Number.NaN] = rows.map((row) => drawn.values[row] ?? Number.NaN)
    return { unit, a: factor * a, b: factor * b }
  })
}
