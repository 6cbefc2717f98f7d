import { pathTo, toHref } from '../../app/router.ts'
import { type Query, read } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { longDate, space, writeCount, writeValue } from '../../parts/numbers.ts'
import { SkeletonRows, TableHead } from '../../parts/sortable-table.tsx'

interface Cell {
  readonly metric: string
  readonly measure: Query<'addresses/estimates'>['measure']
  readonly unit: 'count' | 'BTC'
}

const bounds = [
  ['0_001', '0.001 BTC'],
  ['0_01', '0.01 BTC'],
  ['0_1', '0.1 BTC'],
  ['1', '1 BTC'],
  ['10', '10 BTC'],
  ['100', '100 BTC'],
  ['1k', '1,000 BTC'],
  ['10k', '10,000 BTC'],
] as const

const rows: readonly (readonly [name: string, addresses: Cell | undefined, coins: Cell])[] = [
  ...bounds.map(
    ([bound, name]) =>
      [
        `${name} or more`,
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
  const { value, error, retry } = useAnswer(async () => {
    const estimates = await Promise.all(cells.map(readEstimate))
    return new Map(cells.map((cell, i) => [cell, estimates[i]]))
  }, [])
  if (!value && error !== undefined) return <Failed error={error} retry={retry} />
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
          <table class="numbers">
            <TableHead columns={['', 'addresses', 'their coins']} />
            <tbody>
              {value ? (
                rows.map(([name, addresses, coins]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td>{addresses && <Amount cell={addresses} estimate={value.get(addresses)} />}</td>
                    <td>
                      <Amount cell={coins} estimate={value.get(coins)} />
                    </td>
                  </tr>
                ))
              ) : (
                <SkeletonRows rows={rows.length} columns={3} />
              )}
            </tbody>
          </table>
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
