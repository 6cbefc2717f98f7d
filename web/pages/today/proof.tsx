import { useEffect, useState } from 'preact/hooks'
import { health } from '../../data/freshness.ts'
import { ago, grouped, writeSats } from '../../parts/numbers.ts'

/** Where the numbers come from, and how far they are proved. */
export function Proof() {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  const { published, proved, tip_height } = health.value ?? {}
  if (!published || tip_height === null || tip_height === undefined) return <div class="proof" />
  const block = grouped(String(tip_height))
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
        {writeSats(published.supply_sats)} BTC in {grouped(String(published.utxo_count))} outputs
      </p>
      <p>
        {proved && `proved ${grouped(String(proved.blocks))} of ${grouped(String(proved.of))} blocks · `}
        published {new Date(published.at).toISOString().slice(11, 16)} UTC, {ago(published.at, now)}
      </p>
    </div>
  )
}
