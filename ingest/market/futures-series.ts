import { millisecondsPerDay } from '#base/days.ts'
import { type Observation, tables } from './observations.ts'
import { type Series, type SeriesDefinition, series } from './series.ts'
import { hour } from './wire.ts'

type Definition<Row extends Observation<'funding' | 'open_interest'>> = Omit<
  SeriesDefinition<Row>,
  'table' | 'identity'
>

/** Settlements of a perpetual contract: every eight hours, unless its venue says otherwise. */
export const fundingSeries = (
  exchange: string,
  instrument: string,
  definition: Definition<Observation<'funding'>>,
): Series => series({ table: tables.funding, identity: { exchange, instrument }, every: 8 * hour, ...definition })

/** Open interest of a contract, once a day. */
export const openInterestSeries = (
  exchange: string,
  instrument: string,
  definition: Definition<Observation<'open_interest'>>,
): Series =>
  series({ table: tables.open_interest, identity: { exchange, instrument }, every: millisecondsPerDay, ...definition })
