import { msPerDay } from '#base/days.ts'
import { type Observation, tables } from './observations.ts'
import { createSeries, type Series, type SeriesDefinition } from './series.ts'
import { hourMs } from './wire.ts'

type Definition<Row extends Observation<'funding' | 'open_interest'>> = Omit<
  SeriesDefinition<Row>,
  'table' | 'identity'
>

/** Settlements of a perpetual contract. */
export const fundingSeries = (
  exchange: string,
  instrument: string,
  definition: Definition<Observation<'funding'>>,
): Series =>
  createSeries({ table: tables.funding, identity: { exchange, instrument }, intervalMs: 8 * hourMs, ...definition })

export const openInterestSeries = (
  exchange: string,
  instrument: string,
  definition: Definition<Observation<'open_interest'>>,
): Series =>
  createSeries({
    table: tables.open_interest,
    identity: { exchange, instrument },
    intervalMs: msPerDay,
    ...definition,
  })
