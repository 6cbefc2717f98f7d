import { z } from 'zod'

/**
 * Types of raw market columns. In rows, a DATE is a unix day, a TIMESTAMP milliseconds since 1970,
 * both UTC.
 */
export type ColumnType = 'DATE' | 'TIMESTAMP' | 'DOUBLE' | 'INTEGER' | 'VARCHAR'

export type Cells = Readonly<Record<string, string | number | null>>

/** Raw observations. `key` identifies one; later ones may correct the other columns. */
export interface ObservationTable<Row extends Cells = Cells> {
  readonly kind: string
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly key: readonly string[]
  readonly row: z.ZodType<Row>
}

const columnTypes = z.registry<{ type: ColumnType }>()
const date = z.int().register(columnTypes, { type: 'DATE' })
const time = z.number().register(columnTypes, { type: 'TIMESTAMP' })
const integer = z.int().register(columnTypes, { type: 'INTEGER' })
const number = z.number().register(columnTypes, { type: 'DOUBLE' })
const numberOrNull = z.number().nullable().register(columnTypes, { type: 'DOUBLE' })
const text = z.string().register(columnTypes, { type: 'VARCHAR' })
const textOrNull = z.string().nullable().register(columnTypes, { type: 'VARCHAR' })
const unit = z.enum(['btc', 'usd']).register(columnTypes, { type: 'VARCHAR' })

function defineTable<Shape extends z.ZodRawShape>(kind: string, key: readonly string[], shape: Shape) {
  const columns = Object.entries(shape).map(([name, cell]) => [name, columnTypes.get(cell)!.type] as const)
  return { kind, columns: Object.fromEntries(columns), key, row: z.object(shape) }
}

const bar = {
  open: number,
  high: number,
  low: number,
  close: number,
  volume_btc: numberOrNull,
  volume_usd: numberOrNull,
}

export const tables = {
  /** Daily bars in USD. Sources of closes alone repeat them as open, high and low. */
  prices: defineTable('prices', ['date'], { date, ...bar }),
  /** By start of the hour. */
  prices_hourly: defineTable('prices_hourly', ['time'], { time, ...bar }),
  /** Of all exchanges that a source counts. */
  market_volume: defineTable('market_volume', ['date'], { date, volume_usd: number }),
  /** Settled: `rate` per interval, as a fraction; the interval is null if not reported. */
  funding: defineTable('funding', ['exchange', 'instrument', 'time'], {
    exchange: text,
    instrument: text,
    time,
    rate: number,
    interval_hours: numberOrNull,
  }),
  /** One-sided, in BTC or USD; contracts are converted. */
  open_interest: defineTable('open_interest', ['exchange', 'instrument', 'time'], {
    exchange: text,
    instrument: text,
    time,
    amount: number,
    unit,
  }),
  /**
   * A fund at the close of a business day. `nav_usd` and `market_price_usd` are per share;
   * `premium` is `market_price_usd / nav_usd - 1`.
   */
  etf: defineTable('etf', ['ticker', 'date'], {
    ticker: text,
    date,
    holdings_btc: numberOrNull,
    shares_outstanding: numberOrNull,
    nav_usd: numberOrNull,
    market_price_usd: numberOrNull,
    aum_usd: numberOrNull,
    flow_usd: numberOrNull,
    premium: numberOrNull,
  }),
  /** Holdings of a registry entity after a report, and the change by it. */
  treasuries: defineTable('treasuries', ['entity_id', 'date'], {
    entity_id: integer,
    date,
    holdings_btc: number,
    change_btc: numberOrNull,
    source_url: textOrNull,
  }),
} satisfies Record<string, ObservationTable>

export type MarketKind = keyof typeof tables
export type Observation<Kind extends MarketKind> = z.infer<(typeof tables)[Kind]['row']>

/** Source of all simulated observations. */
export const simulatedSource = 'simulated'
