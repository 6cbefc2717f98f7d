import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { parseDay } from '#base/days.ts'

const folder = path.join(import.meta.dirname, '../../data/reference')
const load = <T>(file: string, schema: z.ZodType<T>): T[] =>
  z.array(schema).parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8')))

const country = z.string().regex(/^[A-Z]{2}$/)

const exchange = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Source of the exchange's funding while open interest is unknown. */
  main_instrument: z.string(),
})
export type Exchange = z.infer<typeof exchange>
export const exchanges: readonly Exchange[] = load('exchanges.json', exchange)

const fund = z.strictObject({
  /** Unique: with the listing's suffix outside the United States. */
  ticker: z.string(),
  name: z.string(),
  issuer: z.string(),
  country,
  launch_date: z.iso.date().nullable(),
  fee_percent: z.number().nullable(),
  status: z.enum(['active', 'unconfirmed']),
  /** Holds shares of another fund; excluded from totals to avoid double counting. */
  feeder_of: z.string().optional(),
})
export type Fund = z.infer<typeof fund>
export const funds: readonly Fund[] = load('etfs.json', fund)

export const entityTypes = ['public', 'private', 'government', 'fund', 'protocol', 'custodian'] as const
const entity = z.strictObject({
  id: z.int(),
  name: z.string(),
  type: z.enum(entityTypes),
  ticker: z.string().nullable(),
  country: country.nullable(),
  /** Entity that reports these coins too; excluded from totals to avoid double counting. */
  consolidated_in: z.int().optional(),
  /** Holdings are 0 from here on. */
  ended_on: z.iso.date().optional(),
  note: z.string().optional(),
})
export type Entity = z.infer<typeof entity>
/** Ids never change. */
export const entities: readonly Entity[] = load('treasuries.json', entity)

const treasuryReport = z.strictObject({
  entity_id: z.int().refine((id) => entities.some((known) => known.id === id), 'is no entity of the registry'),
  date: z.iso.date().transform(parseDay),
  holdings_btc: z.number().min(0),
  source: z.string(),
  source_url: z.url(),
})
/** From public filings and statements, until a source knows the entity. */
export const treasuryReports = load('treasury-reports.json', treasuryReport)
