import { z } from 'zod'

/** Column types of the raw market tables; in rows a DATE is a unix day and a TIMESTAMP milliseconds since 1970, both UTC. */
export type ColumnType = 'DATE' | 'TIMESTAMP' | 'DOUBLE' | 'INTEGER' | 'VARCHAR'

const number = z.number().nullable()

/**
 * What is observed, one table each: the columns in order, which of them name the thing observed (`key`), and the row's
 * type. The other columns are the observed values, which a later observation may correct.
 */
export interface ObservationTable<Row extends Cells = Cells> {
  readonly kind: string
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly key: readonly string[]
  readonly row: z.ZodType<Row>
}

export type Cells = Readonly<Record<string, string | number | null>>

/** Trading in USD over a day or an hour. */
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
  /** A day's trading in USD. Day sources that know only a close repeat it as open, high and low. */
  prices: {
    kind: 'prices',
    columns: { date: 'DATE', ...bar.columns },
    key: ['date'],
    row: z.object({ date: z.int(), ...bar.row }),
  },
  /** The same of an hour, which begins at `time`. */
  prices_hourly: {
    kind: 'prices_hourly',
    columns: { time: 'TIMESTAMP', ...bar.columns },
    key: ['time'],
    row: z.object({ time: z.number(), ...bar.row }),
  },
  /** What was traded on a day on all exchanges that a source counts. */
  market_volume: {
    kind: 'market_volume',
    columns: { date: 'DATE', volume_usd: 'DOUBLE' },
    key: ['date'],
    row: z.object({ date: z.int(), volume_usd: z.number() }),
  },
  /** A settled funding payment: `rate` is a fraction per interval; the interval is in hours, null where the source does not say. */
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
  /** One-sided open interest at an instant, in the unit in which the venue counts: contracts are already converted. */
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
  /** A fund at the close of a business day. `nav_usd` and `market_price_usd` are per share; `premium` is one over the other, minus 1. */
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
  /** What an entity of the registry held after the report of that day, and by how much that report changed it. */
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

/** The name under which every simulated observation is stored. */
export const simulatedSource = 'simulated'
