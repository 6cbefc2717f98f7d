import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import type { Refusal } from './http.ts'
import type { Observation } from './observations.ts'

/** Most venues send text. */
export const decimal = z
  .union([z.number(), z.string().regex(/^[+-]?\d*\.?\d+([eE][+-]?\d+)?$/)])
  .transform(Number)
  .refine(Number.isFinite)

/** Since 1970. */
export const milliseconds = decimal.refine((value) => Number.isInteger(value) && value > 1e12 && value < 1e13)

/** Whole seconds since 1970, converted to milliseconds. */
export const seconds = decimal
  .refine((value) => Number.isInteger(value) && value > 1e9 && value < 1e10)
  .transform((value) => value * 1_000)

export const hourMs = 3_600_000

/** Fraction per interval. Rates above any venue's cap must be in another unit. */
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

/** One-sided. More coins than can exist must be another unit. */
export function openInterest(
  exchange: string,
  instrument: string,
  time: number,
  amount: number,
  unit: 'btc' | 'usd',
): Observation<'open_interest'> {
  const max = unit === 'btc' ? 21e6 : 1e13
  if (amount < 0 || amount > max) throw implausible(exchange, `open interest ${amount} ${unit} of ${instrument}`)
  return { exchange, instrument, time, amount, unit }
}

const implausible = (source: string, what: string): CoinstrataError =>
  new CoinstrataError('market_source_failed', `${source} gave ${what}, which cannot be right`, {
    cure: 'nothing of it was stored; the source may have changed its units',
  })

interface Verdict<Code> {
  readonly code: Code
  readonly message: string
}

export const codeAndMessage = z
  .object({ code: z.string(), msg: z.string() })
  .transform(({ code, msg }) => ({ code, message: msg }))

/** Every code but `success` is a refusal; `retryable` ones may succeed later. */
export const refusalByCode =
  <Code extends string | number>(verdict: z.ZodType<Verdict<Code>>, success: Code, retryable: readonly Code[]) =>
  (body: unknown): Refusal | undefined => {
    const { data } = verdict.safeParse(body)
    if (!data || data.code === success) return undefined
    return { message: `${data.code} ${data.message}`.trim(), retry: retryable.includes(data.code) }
  }
