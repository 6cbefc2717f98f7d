import { useEffect, useRef, useState } from 'preact/hooks'
import { RequestError } from '#clients/typescript/request.ts'
import { pages } from '#contract/pages.ts'
import { go, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { read } from '../../data/client.ts'
import { explain } from '../../data/failure.ts'
import { dataVersion } from '../../data/freshness.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { writeCount } from '../../parts/numbers.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import type { SqlResult, SqlTable } from './engine.ts'
import { examples } from './examples.ts'

const Result = lazy(async () => (await import('./result.tsx')).Result)

const addressOf = (sql: string): string => `${pages.sql}#${new URLSearchParams({ q: sql })}`

async function readTables(): Promise<SqlTable[]> {
  const { data } = await read('tables', { fields: 'all', limit: 1_000 })
  return data.map(({ columns = [], ...table }) => ({
    ...table,
    columns: columns.map((column) => {
      const [name = '', type = '', ...unit] = column.split(' ')
      return [name, type, unit.join(' ')] as const
    }),
  }))
}

interface State {
  readonly progress?: string
  readonly problem?: string
  readonly result?: SqlResult
}

/** The address has the query (`#q=`), which browsers send to no server. */
export function SqlPage() {
  useTitle('SQL')
  const linked = new URLSearchParams(route.value.hash).get('q')
  const [text, setText] = useState(linked ?? Object.values(examples)[0] ?? '')
  const [{ progress, problem, result }, setState] = useState<State>({})
  const { value: tables, failure } = useAnswer(readTables, [])
  useEffect(() => setText(linked ?? text), [linked])
  // The engine is many times as large as the page.
  const stop = useRef<(() => void) | undefined>(undefined)
  useEffect(() => () => stop.current?.(), [dataVersion.value])
  const run = async (): Promise<void> => {
    if (!tables || progress !== undefined) return
    go(addressOf(text), { replace: true })
    setState({ progress: 'DuckDB is loading' })
    try {
      const { runQuery, stopEngine } = await import('./engine.ts')
      stop.current = stopEngine
      setState({ result: await runQuery(text, tables, (what) => setState({ progress: what })) })
    } catch (error) {
      setState({
        problem: error instanceof RequestError ? explain(error).message : String(error).replace(/^Error: /, ''),
      })
    }
  }
  return (
    <>
      <h1>SQL in the browser</h1>
      <p class="lead">
        Ask the published tables in the SQL of DuckDB, which runs in this browser. Your query never leaves it: the
        server only sends the tables that the query names.
      </p>
      {failure}
      <div class="sql">
        <div>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault()
              void run()
            }}
          >
            <label for="sql">Query</label>
            <textarea
              id="sql"
              class="field"
              rows={9}
              spellcheck={false}
              autocomplete="off"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
                event.preventDefault()
                void run()
              }}
            />
            <div class="chart-tools">
              <button type="submit" class="pill" disabled={!tables || progress !== undefined}>
                Run <kbd>Ctrl+Enter</kbd>
              </button>
              {progress !== undefined && <Button onClick={() => stop.current?.()}>Stop</Button>}
              <CopyButton text={() => new URL(toHref(addressOf(text)), location.href).href}>Copy link</CopyButton>
            </div>
          </form>
          <p role="status" class="muted">
            {progress !== undefined && `${progress}.`}
            {result && describe(result)}
          </p>
          {problem !== undefined && (
            <pre role="alert" class="sql-problem">
              {problem}
            </pre>
          )}
          {result && <Result result={result} />}
        </div>
        <aside aria-label="Examples and tables">
          <h2>Examples</h2>
          <ul>
            {Object.entries(examples).map(([title, sql]) => (
              <li key={title}>
                <a href={toHref(addressOf(sql))}>{title}</a>
              </li>
            ))}
          </ul>
          <h2>Tables</h2>
          {tables?.map((table) => <TableColumns key={table.name} table={table} />) ?? <Waiting lines={20} />}
          <p class="muted">
            A query and its tables may take 1 GB of memory; tables above 1,000,000 rows or 32 MB are not offered.
          </p>
        </aside>
      </div>
    </>
  )
}

function describe({ count, cells, ms }: SqlResult): string {
  const shown = cells[0]?.length ?? 0
  const rest = shown < count ? `, of which you see the first ${shown}` : ''
  return `${writeCount(count)} rows in ${writeCount(ms)} ms${rest}.`
}

function TableColumns({ table: { name, holds, rows, tier, columns } }: { readonly table: SqlTable }) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details onToggle={() => setOpened(true)}>
      <summary>{name}</summary>
      <p class="muted">
        {columns.length > 0 ? `${holds}; ${writeCount(rows)} rows` : `Needs an account of tier ${tier}`}
      </p>
      {wasOpened && (
        <dl>
          {columns.map(([column, type, unit]) => (
            <div key={column}>
              <dt>
                <code>{column}</code>
              </dt>
              <dd class="muted">
                {type} {unit}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  )
}
