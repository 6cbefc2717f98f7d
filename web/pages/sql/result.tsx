import { useEffect, useRef, useState } from 'preact/hooks'
import { composeChart } from '#render/page/page.ts'
import { theme } from '../../app/theme.ts'
import { completeOptions } from '../../chart/chart-options.ts'
import { drawInPage } from '../../chart/draw.ts'
import { saveFile } from '../../chart/picture-file.ts'
import { Button } from '../../parts/button.tsx'
import { Table } from '../../parts/table.tsx'
import { type ResultLines, readCsv, type SqlResult } from './engine.ts'

const height = 340

export function Result({ result }: { readonly result: SqlResult }) {
  const { columns, cells, lines } = result
  return (
    <>
      {lines && <ResultChart lines={lines} />}
      <Button onClick={() => void readCsv().then((csv) => saveFile('query.csv', csv, 'text/csv'))}>
        Download CSV of all rows
      </Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is wider than a phone */}
      <section class="table" tabIndex={0} aria-label="Result">
        <Table
          caption="Result"
          rows={cells[0]?.map((_, row) => row) ?? []}
          columns={columns.map(({ name, type }, i) => ({
            name,
            ...(/INT|DOUBLE|DECIMAL/.test(type) && { class: 'number' }),
            show: (row: number) => cells[i]?.[row] ?? <span class="muted">NULL</span>,
          }))}
        />
      </section>
    </>
  )
}

/** Up to two columns have an axis each; more share one. */
function ResultChart({ lines }: { readonly lines: ResultLines }) {
  const box = useRef<HTMLElement>(null)
  const { value: color } = theme
  const [isEmpty, setEmpty] = useState(false)
  useEffect(() => {
    drawLines(lines, { width: box.current?.clientWidth ?? 0, height, theme: color }).then(
      (svg) => box.current?.replaceChildren(svg),
      // Not one number in all rows.
      () => setEmpty(true),
    )
  }, [lines, color])
  return isEmpty ? null : <figure ref={box} class="sql-chart" style={{ height: `${height}px` }} />
}

async function drawLines(
  { firstDay, columns }: ResultLines,
  size: Pick<Parameters<typeof completeOptions>[0], 'width' | 'height' | 'theme'>,
) {
  const byId = new Map(columns.map((column, i) => [`column_${i}`, column]))
  const unavailable = () => Promise.reject(new Error('a result has only its columns'))
  const refuse = () => {
    throw new Error('a result has only its columns')
  }
  const { specification } = await composeChart(
    {
      firstDay,
      lastDay: firstDay + (columns[0]?.values.length ?? 0) - 1,
      isCut: false,
      sourceLine: '',
      address: undefined,
      events: [],
      template: refuse,
      ids: byId,
      series: (id) => {
        const { name } = byId.get(id)!
        const dimension = columns.length > 2 ? '' : name
        return { id, name, unit: '', dimension, kind: 'level', aggregate: 'last', style: 'line' }
      },
      distribution: refuse,
      readValues: async (ids) => ids.map((id) => byId.get(id)!.values),
      readFine: unavailable,
      cycleStarts: unavailable,
      readCells: unavailable,
      evaluate: refuse,
    },
    completeOptions({
      ...size,
      metrics: [...byId.keys()],
      title: columns.map(({ name }) => name).join(', '),
      scale: 'linear',
      range: 'all',
    }),
  )
  return drawInPage(specification).svg
}
