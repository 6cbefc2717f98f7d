import { isoDate, isoTime } from '#base/days.ts'
import { isFine } from '#contract/chart-options.ts'
import { listMonths } from './calendar.ts'
import type { ChartSeries, ChartSpecification } from './specification.ts'

interface TableColumn {
  readonly name: string
  readonly label: string
  /** Empty if unknown. */
  readonly unit: string
  readonly values: Float64Array
}

/** The drawn values, oldest first; NaN is unknown. Rows begin with the date, or with `keys`. */
interface ChartTable {
  readonly keys: readonly string[]
  readonly columns: readonly Omit<TableColumn, 'values'>[]
  readonly rows: Iterable<readonly (string | number)[]>
}

export function readTable({ x, series, referenceLines, heatmap, monthGrid }: ChartSpecification): ChartTable {
  if (monthGrid) {
    const { years, months, totals, measure } = monthGrid
    return {
      keys: ['year'],
      columns: [...listMonths('%B'), 'total']
        .map((month) => month.toLowerCase())
        .map((name) => ({ name, label: name, unit: measure === 'change' ? '%' : '' })),
      rows: years.map((year, i) => [year, ...months.subarray(12 * i, 12 * (i + 1)), totals[i]!]),
    }
  }
  const levels = referenceLines.flatMap(({ label, y }) =>
    typeof y === 'number' ? [] : [{ name: label || 'level', label, unit: '', values: y }],
  )
  const columns = withOwnNames([...series.flatMap((one) => seriesColumns(one, series)), ...levels])
  const valuesOf = (row: number): number[] => columns.map(({ values }) => values[row]!)
  const table = (keys: readonly string[], read: (day: number, row: number) => readonly (string | number)[]) => ({
    keys,
    columns,
    rows: Array.from(x.days, (day, row) => [...read(day, row), ...valuesOf(row)]),
  })
  if (x.kind === 'bins') return table(['lower_price', 'upper_price'], (_, row) => [...x.edges.subarray(row, row + 2)])
  if (x.kind === 'day_offset') return table(['day', 'date'], (day) => [day - x.firstDay, isoDate(day)])
  if (x.interval && isFine(x.interval)) return table(['time'], (day) => [isoTime(day)])
  if (!heatmap) return table(['date'], (day) => [isoDate(day)])
  const { id: name, label, unit, binLower, binUpper, values } = heatmap
  function* cells(): Generator<readonly (string | number)[]> {
    for (const [row, day] of x.days.entries()) {
      for (const [bin, lower] of binLower.entries()) {
        const value = values[row * binLower.length + bin]!
        // Zero is blank, as in the picture.
        if (value > 0) yield [isoDate(day), lower, binUpper[bin]!, value, ...valuesOf(row)]
      }
    }
  }
  return { keys: ['date', 'lower_price', 'upper_price'], columns: [{ name, label, unit }, ...columns], rows: cells() }
}

/** Metrics are named by id; formulas, and cycles of one metric, by label. */
function seriesColumns({ id, label, unit, values, candles, colorBy }: ChartSeries, all: readonly ChartSeries[]) {
  const isNamed = !/^f\d+$/.test(id) && all.filter((other) => other.id === id).length === 1
  return [
    ...Object.entries(candles ?? {}).map(([name, column]) => ({ name, label: name, unit, values: column })),
    { name: isNamed ? id : label, label, unit, values },
    ...(colorBy ? [{ name: colorBy.title, label: colorBy.title, unit: '', values: colorBy.values }] : []),
  ]
}

const withOwnNames = (columns: readonly TableColumn[]): TableColumn[] =>
  columns.map((column, i) => {
    const before = columns.slice(0, i).filter(({ name }) => name === column.name).length
    return before === 0 ? column : { ...column, name: `${column.name} (${before + 1})` }
  })

/** The drawn values as CSV (RFC 4180). */
export function writeChartCsv(chart: ChartSpecification): string {
  const { keys, columns, rows } = readTable(chart)
  // Spreadsheets would evaluate another user's label that begins like a formula.
  const names = [...keys, ...columns.map(({ name }) => name.replace(/^[=+@-]/, "'$&"))]
  const lines = Array.from(rows, (row) => row.map((cell) => (Number.isNaN(cell) ? '' : String(cell))).join())
  return [names.map(quoted).join(), ...lines, ''].join('\r\n')
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** As JSON: title, names and units of series, and `data` with an object per row. */
export function writeChartRows(chart: ChartSpecification): string {
  const { keys, columns, rows } = readTable(chart)
  const names = [...keys, ...columns.map(({ name }) => name)]
  const series = columns.map(({ name, label, unit }) => ({ name, label, unit }))
  const data = Array.from(rows, (row) => Object.fromEntries(row.map((cell, i) => [names[i]!, cell])))
  return JSON.stringify({ title: chart.title, series, data })
}
