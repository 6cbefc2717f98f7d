import examples from 'sql:examples'
import { useEffect, useRef, useState } from 'preact/hooks'
import { go, pathTo, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { readFull } from '../../data/client.ts'
import { dataVersion } from '../../data/freshness.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { writeCount } from '../../parts/numbers.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import type { SqlResult } from './engine.ts'

const Result = lazy(async () => (await import('./result.tsx')).Result)

const addressOf = (sql: string): string => `${pathTo('sql')}#${new URLSearchParams({ q: sql })}`

type State = { readonly isRunning?: boolean; readonly problem?: string; readonly result?: SqlResult }

const describe = ({ count, cells }: SqlResult): string => `${writeCount(count)} rows, ${cells[0]?.length} of them shown`

/** The fragment of the address has the query: browsers do not send it. */
export function SqlPage() {
  useTitle('SQL in the browser')
  const linked = new URLSearchParams(route.value.hash).get('q') ?? examples[0]?.[1] ?? ''
  const [text, setText] = useState(linked)
  const [{ isRunning, problem, result }, setState] = useState<State>({})
  const { value: tables, failure } = useAnswer(async () => (await readFull('tables', { limit: 1_000 })).data, [])
  const stop = useRef<(() => void) | undefined>(undefined)
  useEffect(() => setText(linked), [linked])
  useEffect(() => () => stop.current?.(), [dataVersion.value])
  const run = async (): Promise<void> => {
    if (!tables || isRunning) return
    go(addressOf(text), { replace: true })
    setState({ isRunning: true })
    try {
      // Ten times as large as the page.
      const { runQuery, stopEngine } = await import('./engine.ts')
      stop.current = stopEngine
      setState({ result: await runQuery(text, tables) })
    } catch (error) {
      setState({ problem: String(error).replace(/^\w*Error: /, '') })
    }
  }
  return (
    <>
      <h1>SQL in the browser</h1>
      <p class="lead">
        DuckDB runs here. Your query never leaves the browser: the server only sends the tables that it names.{' '}
        <a href={toHref(pathTo('guide', { name: 'sql' }))}>What it can do</a>
      </p>
      {failure}
      <div class="sql">
        <div>
          <label for="sql">Query</label>
          <textarea
            id="sql"
            class="field"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={({ key, ctrlKey, metaKey }) => key === 'Enter' && (ctrlKey || metaKey) && run()}
          />
          <div class="chart-tools">
            <Button disabled={!tables || isRunning} onClick={run}>
              Run <kbd>Ctrl+Enter</kbd>
            </Button>
            {isRunning && <Button onClick={() => stop.current?.()}>Stop</Button>}
            <span role="status">{isRunning ? 'Running' : result && describe(result)}</span>
          </div>
          {problem !== undefined && <pre role="alert">{problem}</pre>}
          {result && <Result {...result} />}
        </div>
        <aside aria-label="Examples and tables">
          <h2>Examples</h2>
          {examples.map(([title, sql]) => (
            <a key={title} href={toHref(addressOf(sql))}>
              {title}
            </a>
          ))}
          <h2>Tables</h2>
          {tables?.map(({ name, holds, columns = [] }) => (
            <details key={name}>
              <summary>{name}</summary>
              <p class="muted">{holds}</p>
              <Code>{columns.join('\n')}</Code>
            </details>
          ))}
        </aside>
      </div>
    </>
  )
}
