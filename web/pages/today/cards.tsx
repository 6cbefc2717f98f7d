import { isoDate } from '#base/days.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { readIndex } from '../../data/catalogue.ts'
import { read } from '../../data/client.ts'
import { readYear } from '../../data/columns.ts'
import { health } from '../../data/freshness.ts'
import { ordinal, writeChange, writeValue } from '../../parts/numbers.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'

const cards = [
  { id: 'mvrv', name: 'MVRV' },
  { id: 'realized_price', name: 'Realized price' },
  { id: 'sth_realized_price', name: 'Short-term cost basis' },
  { id: 'nupl', name: 'NUPL' },
  { id: 'sopr', name: 'SOPR' },
  { id: 'lth_supply', name: 'Long-term supply' },
  { id: 'hash_rate_7d', name: 'Hash rate' },
  { id: 'etf_net_flow_btc_7d_sum', name: 'ETF flow, 7 days' },
] as const

const readStandings = () => read('metrics/percentiles', { metrics: ['price', ...cards.map(({ id }) => id)].join() })

export function Cards() {
  const { value, failure } = useAnswer(async () => {
    const [{ data, meta }, { byId }] = await Promise.all([readStandings(), readIndex()])
    return { standings: new Map(data.map((one) => [one.id, one])), byId, meta }
  }, [])
  const known = value && [...value.standings.keys()].filter((id) => cards.some((card) => card.id === id))
  const year = useAnswer(
    async () => (known && known.length > 0 ? readYear(known, health.peek()?.published?.last_date) : undefined),
    [known?.join()],
  )
  const [oldest] = [...(value?.standings.values() ?? [])].map(({ history_from }) => history_from).sort()
  if (failure) return failure
  return (
    <>
      <div class="cards">
        {cards.map(({ id, name }) => {
          const standing = value?.standings.get(id)
          const unit = value?.byId.get(id)?.unit ?? ''
          const isWithheld = value?.meta.withheld?.includes(id) ?? false
          return (
            <a class="card" key={id} href={toHref(pathTo('metric', { id }))}>
              <h2>{name}</h2>
              {isWithheld ? (
                <p class="muted">With a key of tier {value?.meta.withheld_tier}</p>
              ) : value && !standing ? (
                <p class="muted">No data yet</p>
              ) : (
                <>
                  <p class="value">{standing ? writeValue(unit, standing.value) : '\u00a0'}</p>
                  <Sparkline values={year.value?.values.get(id) ?? new Float64Array()} />
                  <PercentileLine percentile={standing?.percentile ?? 0} />
                  <p class="notes">
                    <span>{standing ? `${ordinal(standing.percentile)} percentile` : '\u00a0'}</span>
                    <span>{standing && formatChange(unit, standing.value_7d_ago, standing.value)}</span>
                  </p>
                </>
              )}
            </a>
          )
        })}
      </div>
      {oldest !== undefined && (
        <p class="caption">
          Percentiles are of all days since each number begins, the oldest on {oldest}. Lines show{' '}
          {year.value?.isCut ? `the days since ${isoDate(year.value.firstDay)}` : 'a year'}.
        </p>
      )}
    </>
  )
}

function formatChange(unit: string, from: number | null, to: number): string {
  const change = writeChange(unit, from, to)
  return change === undefined ? '' : `${change} in 7 d`
}

function PercentileLine({ percentile }: { readonly percentile: number }) {
  return (
    <svg class="percentile" viewBox="0 0 200 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="line" y="4" width="200" height="2" />
      <rect class="tick" x={Math.min(198, Math.max(0, 2 * percentile - 1))} width="2" height="10" />
    </svg>
  )
}
