import { boundNames } from '#contract/balance-measures.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { type Query, read } from '../../data/client.ts'
import { longDate, space, writeCount, writeValue } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'

interface Cell {
  readonly metric: string
  readonly measure: Query<'addresses/estimates'>['measure']
  readonly unit: 'count' | 'BTC'
}

/** `0_001` as 0.001, `10k` as 10,000. */
export const formatBound = (name: string): string => name.replace('_', '.').replace('k', ',000')

const rows: readonly (readonly [name: string, addresses: Cell | undefined, coins: Cell])[] = [
  ...boundNames
    .slice(1)
    .map(
      (bound) =>
        [
          `${formatBound(bound)} BTC or more`,
          { metric: `addresses_over_${bound}_btc`, measure: `over_${bound}`, unit: 'count' },
          { metric: `supply_addresses_over_${bound}_btc`, measure: `supply_over_${bound}`, unit: 'BTC' },
        ] as const,
    ),
  [
    'Exposed by a spend',
    { metric: 'operationally_exposed_addresses', measure: 'operationally_exposed', unit: 'count' },
    { metric: 'supply_operationally_exposed_addresses', measure: 'supply_operationally_exposed', unit: 'BTC' },
  ],
  ['All exposed coins', undefined, { metric: 'total_exposed_supply', measure: 'supply_total_exposed', unit: 'BTC' }],
]
const cells = rows.flatMap(([, addresses, coins]) => (addresses ? [addresses, coins] : [coins]))

const readEstimate = async ({ measure }: Cell) => (await read('addresses/estimates', { measure, limit: 1 })).data[0]
type Estimate = Awaited<ReturnType<typeof readEstimate>>

/** With 95 % intervals. */
export function Balances() {
  const { value, failure } = useAnswer(async () => {
    const estimates = await Promise.all(cells.map(readEstimate))
    return new Map(cells.map((cell, i) => [cell, estimates[i]]))
  }, [])
  if (failure) return failure
  const newest = value && [...value.values()].find((estimate) => estimate !== undefined)
  return (
    <section class="balances">
      <h2>Balances</h2>
      {value && !newest ? (
        <p>
          What addresses hold is not known: they are not counted with <code>ADDRESSES=off</code>, nor before the first
          update after a change.
        </p>
      ) : (
        <>
          <Table
            class="numbers"
            rows={value && rows}
            expected={rows.length}
            columns={[
              { name: '', show: ([name]) => name },
              { name: 'addresses', show: ([, cell]) => cell && <Amount cell={cell} estimate={value?.get(cell)} /> },
              { name: 'their coins', show: ([, , cell]) => <Amount cell={cell} estimate={value?.get(cell)} /> },
            ]}
          />
          <p class="muted">
            {newest && `After ${longDate(newest.date)}. `}Below estimates are their 95 % intervals; what has none is
            exact. Withheld is what is not known to a tenth.{' '}
            <a href={toHref(`${pathTo('guide', { name: 'addresses' })}#balances-a-sample-or-all`)}>
              How addresses are estimated
            </a>
          </p>
        </>
      )}
    </section>
  )
}

function Amount({ cell: { metric, unit }, estimate }: { readonly cell: Cell; readonly estimate: Estimate }) {
  const { value = null, low = null, high = null } = estimate ?? {}
  const write = (amount: number): string =>
    unit === 'count' && amount < 1e6 ? writeCount(Math.round(amount)) : writeValue('', amount)
  return (
    <>
      <a href={toHref(pathTo('metric', { id: metric }))}>
        {value === null ? 'withheld' : `${write(value)}${unit === 'BTC' ? `${space}BTC` : ''}`}
      </a>
      {low !== null && high !== null && low !== high && (
        <small>
          {write(low)} to {write(high)}
        </small>
      )}
    </>
  )
}
