import { Code } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'

/** The same numbers, for programs and assistants. */
export function TakeAway() {
  const service = new URL(document.baseURI).href.replace(/\/$/, '')
  const lines = [
    `curl '${service}/v1/series?metrics=mvrv,nupl&format=csv'`,
    `SELECT date, mvrv FROM 'data/published/current/metrics_valuation.parquet'`,
    `claude mcp add --transport http coinstrata ${service}/mcp`,
  ]
  return (
    <section>
      <h2>Take it with you</h2>
      <p class="muted">Every number here is one request away</p>
      {lines.map((line) => (
        <div class="snippet" key={line}>
          <CopyButton text={line} />
          <Code>{line}</Code>
        </div>
      ))}
    </section>
  )
}
