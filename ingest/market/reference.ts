import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { dayOf } from '#base/days.ts'

const folder = path.join(import.meta.dirname, '../../data/reference')
const load = <T>(file: string, schema: z.ZodType<T>): T[] =>
  z.array(schema).parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8')))

const country = z.string().regex(/^[A-Z]{2}$/)

const exchange = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** The market whose funding stands for the exchange as long as no open interest of it is known. */
  main_instrument: z.string(),
})
export type Exchange = z.infer<typeof exchange>
/** The exchanges of the aggregate funding rate and open interest. */
export const exchanges: readonly Exchange[] = load('exchanges.json', exchange)

const fund = z.strictObject({
  /** Unique across markets: outside the United States with the suffix of the listing. */
  ticker: z.string(),
  name: z.string(),
  issuer: z.string(),
  country,
  launch_date: z.iso.date().nullable(),
  fee_percent: z.number().nullable(),
  status: z.enum(['active', 'unconfirmed']),
  /** Holds shares of another fund instead of coins; left out of totals, which would count them twice. */
  feeder_of: z.string().optional(),
})
export type Fund = z.infer<typeof fund>
/** Exchange-traded products that hold bitcoin. */
export const funds: readonly Fund[] = load('etfs.json', fund)

export const entityTypes = ['public', 'private', 'government', 'fund', 'protocol', 'custodian'] as const
const entity = z.strictObject({
  id: z.int(),
  name: z.string(),
  type: z.enum(entityTypes),
  ticker: z.string().nullable(),
  country: country.nullable(),
  /** The entity that reports these coins among its own; left out of totals, which would count them twice. */
  consolidated_in: z.int().optional(),
  /** From this day on it holds nothing, whatever it last reported. */
  ended_on: z.iso.date().optional(),
  note: z.string().optional(),
})
export type Entity = z.infer<typeof entity>
/** Companies, states and others with bitcoin in their treasury; ids are fixed for ever. */
export const entities: readonly Entity[] = load('treasuries.json', entity)

const treasuryReport = z.strictObject({
  entity_id: z.int().refine((id) => entities.some((known) => known.id === id), 'is no entity of the registry'),
  date: z.iso.date().transform(dayOf),
  holdings_btc: z.number().min(0),
  /** The filing or statement that says it. */
  source: z.string(),
  /** Where that is to be found. */
  source_url: z.url(),
})
/** What some entities held on some days, as public filings and statements say: where nothing newer is known of them. */
export const treasuryReports = load('treasury-reports.json', treasuryReport)
