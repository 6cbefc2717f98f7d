import { DuckDBDateValue } from '@duckdb/node-api'
import { bisectRight } from 'd3-array'
import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { TableName } from '#contract/tables/tables.ts'
import type { FirstRowGroups } from '#sql/join-parquet.ts'
import type { ScannedBlocks } from '../scan/scanned-chain.ts'

/** Complete days of a chain: a later block's monotone time has passed their midnight. */
export class ClosedDays {
  /** Unix days. */
  readonly first: number
  readonly last: number
  /** Day of each block by height. */
  readonly days: Int32Array

  /**
   * Throws `data_not_ready` if no day is complete.
   * @param isLastClosed counts the day of the last block as closed
   */
  constructor({ days }: Pick<ScannedBlocks, 'days'>, isLastClosed = false) {
    this.days = days
    this.first = this.days[0]!
    this.last = this.days.at(-1)! - (isLastClosed ? 0 : 1)
    if (this.last >= this.first) return
    throw new CoinstrataError('data_not_ready', `all blocks are from ${isoDate(this.first)}: no day is complete yet`, {
      cure: 'run again after the first block of the next day',
    })
  }

  get count(): number {
    return this.last - this.first + 1
  }

  /** Height of the last block on or before a day, or −1. */
  lastHeightOn(day: number): number {
    return bisectRight(this.days, day) - 1
  }
}

/** Closed days whose rows are computed: those after a checkpoint, or all. */
export interface NewDays {
  readonly closed: ClosedDays
  /** Earlier days' rows from the checkpoint, by table. */
  readonly savedRows: ReadonlyMap<TableName, FirstRowGroups>
  /** Unix day before the first new one. */
  readonly after: number
  /** Rows up to this unix day go into the next checkpoint. */
  readonly cut: number | undefined
}

export const allDays = ({ closed, cut }: NewDays): NewDays => ({
  closed,
  savedRows: new Map(),
  after: closed.first - 1,
  cut,
})

export const newDates = ({ closed, after }: NewDays): Int32Array =>
  Int32Array.from({ length: closed.last - after }, (_, i) => after + 1 + i)

/** Cuts a column that ends with the last closed day to the new days. */
export const onNewDays = ({ closed, after }: NewDays, column: Float64Array): Float64Array =>
  column.subarray(column.length - (closed.last - after))

export const dayValues = ({ closed, after }: NewDays) => ({
  last_day: new DuckDBDateValue(closed.last),
  after_day: new DuckDBDateValue(after),
  after_height: closed.lastHeightOn(after),
})
