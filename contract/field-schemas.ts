import { z } from 'zod'

export type Limits = readonly [min: number, max: number]

export const textUpTo = (max: number) =>
  z.string({ error: 'must be a text' }).max(max, `must have at most ${max} characters`)

/** Without spaces at the ends. */
export const shortText = (max: number) =>
  z
    .string({ error: 'must be a text' })
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)

export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` })

export const numberWithin = ([min, max]: Limits) =>
  z.number('must be a number').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)

export const integerWithin = ([min, max]: Limits, problem = 'must be a whole number') =>
  z.int(problem).min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)
