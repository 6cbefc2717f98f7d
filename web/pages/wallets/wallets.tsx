import { extent } from 'd3-array'
import { line } from 'd3-shape'
import { useState } from 'preact/hooks'
import { satsToBtc } from '#base/bitcoin.ts'
import { isoDate, parseDay, secondsPerDay } from '#base/days.ts'
import { paths } from '#contract/paths.ts'
import type { WalletFigure, WalletReport } from '#contract/wallets.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { readJson, request } from '../../data/client.ts'
import { Button } from '../../parts/button.tsx'
import { plain, space, writeValue } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'

/** Not cached, and only the operator gets an answer. */
const readWallets = async () =>
  readJson<{ readonly data: readonly WalletReport[] }>(await request(paths.wallets.slice(1)))

export function Wallets() {
  useTitle('Your coins')
  const { value, failure } = useAnswer(readWallets, [])
  const [isHidden, setHidden] = useState(false)
  if (failure) return failure
  return (
    <>
      <h1>Your coins</h1>
      <p class="lead">
        Only the operator of this service sees this page.{' '}
        <a href={toHref(pathTo('guide', { name: 'wallets' }))}>How coins are found, and what they cost</a>
      </p>
      <Button aria-pressed={isHidden} onClick={() => setHidden(!isHidden)}>
        Hide amounts
      </Button>
      {value?.data.map((report) => <Wallet key={report.name} report={report} isHidden={isHidden} />) ?? (
        <Waiting lines={14} />
      )}
      {value?.data.length === 0 && (
        <p>
          No wallet is computed: run <code>coinstrata wallet add savings export.txt</code> on this machine.
        </p>
      )}
    </>
  )
}

type Lot = WalletReport['lots'][number]
interface WalletProps {
  readonly report: WalletReport
  readonly isHidden: boolean
}

function Wallet({ report, isHidden }: WalletProps) {
  // Older reports lack lots and marked days.
  const { name, figures, lines, date, tip_height, way, lots = [], older_lots } = report
  const { price, average_cost, realized_price, value, cost, acquired = [], sent = [] } = lines
  const now = price.at(-1) ?? 0
  // The number of addresses with as much reveals the amount.
  const mine = ({ unit, mine: known }: Pick<WalletFigure, 'unit' | 'mine'>): string =>
    isHidden && ['BTC', 'USD', 'count'].includes(unit) ? '***' : writeFigure(unit, known)
  const ofLot = (name: string, unit: WalletFigure['unit'], value: (lot: Lot) => number) => {
    return { name, class: 'number', show: (lot: Lot) => mine({ unit, mine: value(lot) }) }
  }
  const market = (cohort: number) => (figure: WalletFigure) => writeFigure(figure.unit, figure.market[cohort])
  return (
    <section class="wallet">
      <h2>{name}</h2>
      <p class="muted">
        {date}, block {tip_height}
        {way === 'unspent' &&
          '. The node knows only coins that are unspent now: earlier purchases and sales are missing'}
      </p>
      <Lines
        title="Price and your cost of a coin, logarithmic"
        date={date}
        lines={{ Price: price, 'Paid by you': average_cost, 'Your cost on the chain': realized_price }}
        dots={{ acquired, sent }}
        scale={Math.log}
      />
      {!isHidden && <Lines title="Value and cost of what you hold" date={date} lines={{ Value: value, Cost: cost }} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is wider than a phone */}
      <section class="table" tabIndex={0} aria-label={`${name} and the market`}>
        <Table
          caption={`${name} and the market`}
          rows={figures}
          columns={[
            { name: '', show: (figure) => figure.name },
            { name: 'Yours', class: 'number', show: mine },
            { name: 'All coins', class: 'number', show: market(0) },
            { name: 'Long-term', class: 'number', show: market(1) },
            { name: 'Short-term', class: 'number', show: market(2) },
          ]}
        />
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it, too */}
      <section class="table" tabIndex={0} aria-label={`What ${name} holds`} hidden={lots.length === 0}>
        <Table
          rows={lots}
          columns={[
            { name: 'Acquired', show: ([time]) => isoDate(Math.floor(time / secondsPerDay)) },
            ofLot('Age', 'days', ([time]) => parseDay(date) + 1 - time / secondsPerDay),
            ofLot('Amount', 'BTC', ([, , sats]) => satsToBtc(sats)),
            ofLot('Price paid', 'USD per BTC', ([, paid]) => paid),
            ofLot('Cost', 'USD', ([, paid, sats]) => satsToBtc(sats) * paid),
            ofLot('Value', 'USD', ([, , sats]) => satsToBtc(sats) * now),
            ofLot('Profit', 'USD', ([, paid, sats]) => satsToBtc(sats) * (now - paid)),
          ]}
        />
        {older_lots > 0 && <p class="muted">{plain(older_lots, 0)} older ones are not shown</p>}
      </section>
    </section>
  )
}

function writeFigure(unit: WalletFigure['unit'], value: number | null | undefined): string {
  if (value === undefined) return ''
  if (value === null) return 'not known'
  if (unit === 'BTC' || unit === 'days') return `${plain(value, unit === 'BTC' ? 8 : 1)}${space}${unit}`
  return writeValue(unit.slice(0, 3) === 'USD' ? 'USD' : unit, value)
}

const [width, height] = [1000, 240]

interface LinesProps {
  readonly title: string
  /** Day of the last values. */
  readonly date: string
  readonly lines: Readonly<Record<string, readonly (number | null)[]>>
  /** Values on some days. */
  readonly dots?: LinesProps['lines']
  readonly scale?: (value: number) => number
}

function Lines({ title, date, lines, dots = {}, scale = Number }: LinesProps) {
  const all = Object.entries(lines)
  const marked = Object.entries(dots)
  const isDrawn = (value: number | null): value is number => value !== null && Number.isFinite(scale(value))
  const [low = 0, high = 0] = extent(all.flatMap(([, values]) => values.filter(isDrawn)))
  const count = all[0]?.[1].length ?? 0
  const x = (day: number): number => (width * day) / Math.max(1, count - 1)
  const [bottom, top] = [scale(low), scale(high)]
  const y = (value: number | null): number => height - (height * (scale(value ?? low) - bottom)) / (top - bottom || 1)
  const path = line<number | null>()
    .x((_, i) => x(i))
    .y(y)
    .defined(isDrawn)
    .digits(1)
  const bounds = `${isoDate(parseDay(date) - count + 1)} to ${date}, ${writeValue('USD', low)} to ${writeValue('USD', high)}`
  return (
    <figure class="wallet-lines">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${bounds}`}>
        {all.map(([name, values]) => (
          <path key={name} d={path(values) ?? ''} />
        ))}
        {marked.map(([name, values]) => (
          <path
            key={name}
            d={values.map((value, day) => (isDrawn(value) ? `M${x(day)},${y(value)}h0` : '')).join('')}
          />
        ))}
      </svg>
      <p>
        {all.map(([name, values]) => (
          <b key={name}>
            {name} {writeFigure('USD', values.at(-1))}
          </b>
        ))}
        {marked.map(([name, values]) => (
          <b key={name}>
            Days {name}: {plain(values.filter((value) => value !== null).length, 0)}
          </b>
        ))}
        <span class="muted">{bounds}</span>
      </p>
    </figure>
  )
}
