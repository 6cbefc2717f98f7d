import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import type { Refusal } from './http.ts'
import type { Observation } from './observations.ts'

/** A finite number, which most venues send as text. */
export const decimal = z
  .union([z.number(), z.string().regex(/^[+-]?\d*\.?\d+([eE][+-]?\d+)?$/)])
  .transform(Number)
  .refine(Number.isFinite)

/** An instant in milliseconds since 1970, as number or text. */
export const milliseconds = decimal.refine((value) => Number.isInteger(value) && value > 1e12 && value < 1e13)

/** An instant in whole seconds since 1970, as number or text, turned into milliseconds. */
export const seconds = decimal
  .refine((value) => Number.isInteger(value) && value > 1e9 && value < 1e10)
  .transform((value) => value * 1_000)

export const hour = 3_600_000

/** A settled funding rate, as a fraction per interval; rates above any venue's cap are taken for a unit error. */
export function settledFunding(
  exchange: string,
  instrument: string,
  time: number,
  rate: number,
  intervalHours: number | null = null,
): Observation<'funding'> {
  if (Math.abs(rate) > 0.1) throw implausible(exchange, `funding rate ${rate} of ${instrument}`)
  return { exchange, instrument, time, rate, interval_hours: intervalHours }
}

/** One-sided open interest in BTC or USD; more coins than can exist are taken for a unit error. */
export function openInterest(
  exchange: string,
  instrument: string,
  time: number,
  amount: number,
  unit: 'btc' | 'usd',
): Observation<'open_interest'> {
  const most = unit === 'btc' ? 21e6 : 1e13
  if (amount < 0 || amount > most) throw implausible(exchange, `open interest ${amount} ${unit} of ${instrument}`)
  return { exchange, instrument, time, amount, unit }
}

const implausible = (source: string, what: string): CoinstrataError =>
  new CoinstrataError('market_source_failed', `${source} gave ${what}, which cannot be right`, {
    cure: 'nothing of it was stored; the source may have changed its units',
  })

/** What a venue says in every answer, whatever its status. */
interface Verdict<Code> {
  readonly code: Code
  readonly message: string
}

/** The form that most have in common. */
export const codeAndMessage = z
  .object({ code: z.string(), msg: z.string() })
  .transform(({ code, msg }) => ({ code, message: msg }))

/** Reads a refusal out of an answer: every code but `fine` is one; after those of `passing` asking again may help. */
export const refusalByCode =
  <Code extends string | number>(verdict: z.ZodType<Verdict<Code>>, fine: Code, passing: readonly Code[]) =>
  (body: unknown): Refusal | undefined => {
    const { data } = verdict.safeParse(body)
    if (!data || data.code === fine) return undefined
    return { message: `${data.code} ${data.message}`.trim(), retry: passing.includes(data.code) }
  }
