import { z } from 'zod'

/**
 * Column types of the raw market tables. In rows, a DATE is a unix day and a TIMESTAMP milliseconds since 1970, both
 * UTC.
 */
export type ColumnType = 'DATE' | 'TIMESTAMP' | 'DOUBLE' | 'INTEGER' | 'VARCHAR'

const number = z.number().nullable()

/**
 * A table of raw observations: columns in order, the ones that identify an observation (`key`), and the row's type.
 * Later observations may correct the other columns.
 */
export interface ObservationTable<Row extends Cells = Cells> {
  readonly kind: string
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly key: readonly string[]
  readonly row: z.ZodType<Row>
}

export type Cells = Readonly<Record<string, string | number | null>>

const bar = {
  columns: {
    open: 'DOUBLE',
    high: 'DOUBLE',
    low: 'DOUBLE',
    close: 'DOUBLE',
    volume_btc: 'DOUBLE',
    volume_usd: 'DOUBLE',
  },
  row: {
    open: z.number(),
    high: z.number(),
    low: z.number(),
    close: z.number(),
    volume_btc: number,
    volume_usd: number,
  },
} as const

export const tables = {
  /** Daily bars in USD. Sources that know only the close repeat it as open, high and low. */
  prices: {
    kind: 'prices',
    columns: { date: 'DATE', ...bar.columns },
    key: ['date'],
    row: z.object({ date: z.int(), ...bar.row }),
  },
  /** Hourly bars, by the start of the hour. */
  prices_hourly: {
    kind: 'prices_hourly',
    columns: { time: 'TIMESTAMP', ...bar.columns },
    key: ['time'],
    row: z.object({ time: z.number(), ...bar.row }),
  },
  /** Volume of all exchanges that a source counts. */
  market_volume: {
    kind: 'market_volume',
    columns: { date: 'DATE', volume_usd: 'DOUBLE' },
    key: ['date'],
    row: z.object({ date: z.int(), volume_usd: z.number() }),
  },
  /** Settled funding: `rate` per interval, as a fraction; the interval is null if the source does not report it. */
  funding: {
    kind: 'funding',
    columns: {
      exchange: 'VARCHAR',
      instrument: 'VARCHAR',
      time: 'TIMESTAMP',
      rate: 'DOUBLE',
      interval_hours: 'DOUBLE',
    },
    key: ['exchange', 'instrument', 'time'],
    row: z.object({
      exchange: z.string(),
      instrument: z.string(),
      time: z.number(),
      rate: z.number(),
      interval_hours: number,
    }),
  },
  /** One-sided open interest in BTC or USD; contracts are already converted. */
  open_interest: {
    kind: 'open_interest',
    columns: { exchange: 'VARCHAR', instrument: 'VARCHAR', time: 'TIMESTAMP', amount: 'DOUBLE', unit: 'VARCHAR' },
    key: ['exchange', 'instrument', 'time'],
    row: z.object({
      exchange: z.string(),
      instrument: z.string(),
      time: z.number(),
      amount: z.number(),
      unit: z.enum(['btc', 'usd']),
    }),
  },
  /**
   * A fund at the close of a business day. `nav_usd` and `market_price_usd` are per share; `premium` is
   * `market_price_usd / nav_usd - 1`.
   */
  etf: {
    kind: 'etf',
    columns: {
      ticker: 'VARCHAR',
      date: 'DATE',
      holdings_btc: 'DOUBLE',
      shares_outstanding: 'DOUBLE',
      nav_usd: 'DOUBLE',
      market_price_usd: 'DOUBLE',
      aum_usd: 'DOUBLE',
      flow_usd: 'DOUBLE',
      premium: 'DOUBLE',
    },
    key: ['ticker', 'date'],
    row: z.object({
      ticker: z.string(),
      date: z.int(),
      holdings_btc: number,
      shares_outstanding: number,
      nav_usd: number,
      market_price_usd: number,
      aum_usd: number,
      flow_usd: number,
      premium: number,
    }),
  },
  /** Holdings of a registry entity after a report, and their change by that report. */
  treasuries: {
    kind: 'treasuries',
    columns: {
      entity_id: 'INTEGER',
      date: 'DATE',
      holdings_btc: 'DOUBLE',
      change_btc: 'DOUBLE',
      source_url: 'VARCHAR',
    },
    key: ['entity_id', 'date'],
    row: z.object({
      entity_id: z.int(),
      date: z.int(),
      holdings_btc: z.number(),
      change_btc: number,
      source_url: z.string().nullable(),
    }),
  },
} as const satisfies Record<string, ObservationTable>

export type MarketKind = keyof typeof tables
export type Observation<Kind extends MarketKind> = z.infer<(typeof tables)[Kind]['row']>

/** Source name of all simulated observations. */
export const simulatedSource = 'simulated'
