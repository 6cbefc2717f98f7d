import { useEffect, useState } from 'preact/hooks'
import { pages } from '#contract/pages.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { ChartPanel } from '../../chart/panel.tsx'
import type { View } from '../../chart/view.ts'
import { health } from '../../data/freshness.ts'
import { Snippet } from '../../parts/code.tsx'
import { ago, writeCount, writeSats } from '../../parts/numbers.ts'
import { Cards } from './cards.tsx'
import { firstChart } from './first-chart.ts'
import { Movers } from './movers.tsx'
import { Price } from './price.tsx'

const cycles = { metric: 'price', x_axis: 'day_offset' as const, indexed: true, scale: 'log' as const }

export function Today() {
  useTitle('Today')
  const [view, setView] = useState<View>({ range: 'cycle', days: undefined, scale: undefined })
  const [cycleView, setCycleView] = useState<View>({ range: 'all', days: undefined, scale: undefined })
  return (
    <div class="today">
      <div class="opening">
        <Price />
        <Proof />
      </div>
      <Purpose />
      <ChartPanel
        title="Price and what coins cost"
        note="Below the short-term cost basis, recent buyers are at a loss; below the realized price, the whole market is."
        options={firstChart}
        view={view}
        onView={setView}
        height={400}
      />
      <Cards />
      <ChartPanel
        title="Where we are in the cycle"
        note="The price divided by its price at each halving, day by day."
        options={cycles}
        view={cycleView}
        onView={setCycleView}
        height={400}
      />
      <div class="two">
        <Movers />
        <RequestExamples />
      </div>
    </div>
  )
}

/** Says what this is and what to do next. */
function Purpose() {
  const ways: readonly (readonly [address: string, text: string])[] = [
    ...(health.value?.published?.simulated ? [[pathTo('guide', { name: 'node' }), 'Connect your node'] as const] : []),
    [pages.charts, 'See all charts'],
    [pages.workbench, 'Draw your own'],
    [pages.connect, 'Take the data with you'],
  ]
  return (
    <p class="purpose">
      Bitcoin on-chain analytics: what holders paid, gained and kept, computed from every coin of the chain by a node
      that anyone can run. Charts, alerts, SQL, an API, and tools for your AI assistant.{' '}
      {ways.slice(0, 3).map(([address, text]) => (
        <a key={address} href={toHref(address)}>
          {text}
        </a>
      ))}
    </p>
  )
}

function Proof() {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  const { published, proved, tip_height } = health.value ?? {}
  if (!published || tip_height === null || tip_height === undefined) return <div class="proof" />
  const block = writeCount(tip_height)
  const isProved = proved ? proved.blocks >= proved.of : false
  return (
    <div class="proof">
      {published.equal_to_node ? (
        <p>
          <i class="dot good" aria-hidden="true" />
          <b>Equal to the node to the satoshi</b> at block {block}
        </p>
      ) : (
        <p>
          <i class="dot" aria-hidden="true" />
          <b>{isProved ? 'Every block proved against its hash' : 'Audited against the chain'}</b> up to block {block}
          {published.simulated ? '' : ', with no node to compare with'}
        </p>
      )}
      <p>
        {writeSats(published.supply_sats)} BTC in {writeCount(published.utxo_count)} outputs
      </p>
      <p>
        {proved && `proved ${writeCount(proved.blocks)} of ${writeCount(proved.of)} blocks · `}
        published {new Date(published.at).toISOString().slice(11, 16)} UTC, {ago(published.at, now)}
      </p>
    </div>
  )
}

function RequestExamples() {
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
        <Snippet key={line} text={line} />
      ))}
    </section>
  )
}
