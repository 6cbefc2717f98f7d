import { useState } from 'preact/hooks'
import { readTable } from '#render/draw/chart-table.ts'
import { theme } from '../app/theme.ts'
import { Button } from '../parts/button.tsx'
import { Failed } from '../parts/failed.tsx'
import { writeCount } from '../parts/numbers.ts'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../parts/use-answer.tsx'
import { Waiting } from '../parts/waiting.tsx'
import type { ChartOptions } from './chart-options.ts'
import { composeChart } from './compose.ts'
import { writeReading } from './readings.ts'

const rowsPerStep = 100

export function ValueTable({ options, title }: { readonly options: ChartOptions; readonly title: string }) {
  const [count, setCount] = useState(rowsPerStep)
  const { value, error, retry } = useAnswer(async () => {
    const size = { width: 1_200, height: 600, theme: theme.peek(), isExact: true }
    const { keys, columns, rows } = readTable(await composeChart(options, size))
    return { keys, columns, rows: Array.from(rows).reverse() }
  }, [JSON.stringify(options)])
  if (error !== undefined) return <Failed error={error} retry={retry} />
  if (!value) return <Waiting lines={3} />
  const { keys, columns, rows } = value
  const write = (cell: string | number, column: number): string =>
    typeof cell === 'string' || keys[column] === 'year' || keys[column] === 'day'
      ? String(cell)
      : Number.isNaN(cell)
        ? '–'
        : writeReading(columns[column - keys.length]?.unit ?? 'USD', cell)
  const names = [...keys.map((key) => key.replace('_', ' ')), ...columns.map(({ name, label }) => label || name)]
  const shownColumns = names.map((name, i) => ({
    name,
    ...(i > 0 && { class: 'number' }),
    show: (row: (typeof rows)[number]) => write(row[i]!, i),
  }))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="table" tabIndex={0} aria-label={`Values of ${title}`}>
        <Table caption={title} columns={shownColumns} rows={rows.slice(0, count)} />
      </section>
      {rows.length > count && (
        <Button onClick={() => setCount(count + rowsPerStep)}>
          {rowsPerStep} more of {writeCount(rows.length)} rows
        </Button>
      )}
    </>
  )
}
