import { composeChart } from '#render/page/page.ts'
import { theme } from '../../app/theme.ts'
import { completeOptions } from '../../chart/chart-options.ts'
import { drawInPage } from '../../chart/draw.ts'
import { saveFile } from '../../chart/picture-file.ts'
import { pageSource } from '../../chart/source.ts'
import { Button } from '../../parts/button.tsx'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { isNumber, readCsv, type SqlResult } from './engine.ts'

export function Result({ columns, cells, lines }: SqlResult) {
  // None if all values are NULL.
  const { value: svg } = useAnswer(async () => lines && draw(lines), [lines, theme.value])
  return (
    <>
      {lines && <figure class="sql-chart" ref={(box) => svg && box?.replaceChildren(svg)} />}
      <Button onClick={async () => saveFile('query.csv', await readCsv(), 'text/csv')}>Download CSV of all rows</Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is wider than a phone */}
      <section class="table" tabIndex={0} aria-label="Result">
        <Table
          rows={[...(cells[0] ?? []).keys()]}
          columns={columns.map(({ name, type }, i) => ({
            name,
            class: isNumber(type) ? 'number' : '',
            show: (row: number) => cells[i]?.[row] ?? <span class="muted">NULL</span>,
          }))}
        />
      </section>
    </>
  )
}

/** Up to two columns have an axis each; more share one. */
async function draw({ firstDay, lastDay, values }: NonNullable<SqlResult['lines']>) {
  const names = [...values.keys()]
  const size = { width: document.getElementById('sql')?.clientWidth ?? 0, height: 340, theme: theme.value }
  const options = completeOptions({ ...size, title: names.join(', '), metrics: names, scale: 'linear', range: 'all' })
  const kind = { unit: '', kind: 'level', aggregate: 'last', style: 'line' } as const
  const series = (id: string) => ({ ...kind, id, name: id, dimension: names.length > 2 ? '' : id })
  const readValues = async (ids: readonly string[]) => ids.map((id) => values.get(id)!)
  const source = { ...(await pageSource([], options, true)), firstDay, lastDay, ids: values, series, readValues }
  return drawInPage((await composeChart(source, options)).specification).svg
}
