import type { z } from 'zod'
import { type Parameters, type Path, writeAddress } from '#clients/typescript/address.ts'
import type { FullRow as AllRow, Answer, UsualRow } from '#clients/typescript/rows.ts'
import type { failureSchema, Meta } from '#contract/envelope.ts'
import { RequestFailure } from './failure.ts'

/** Of data endpoints: their paths without `/v1/`. */
export type Id = Path extends `/v1/${infer I}` ? I : never
export type Asked<E extends Id> = {
  readonly [Name in keyof Parameters<`/v1/${E}`>]?: Parameters<`/v1/${E}`>[Name] | undefined
}
export type Row<E extends Id> = UsualRow<`/v1/${E}`>
/** A row with all fields that there are. */
export type FullRow<E extends Id> = AllRow<`/v1/${E}`>

/** The address of a request, below that of the app. */
export const addressOfRequest = <E extends Id>(id: E, asked: Asked<E>): string => writeAddress(`v1/${id}`, asked)

/** The rows of a data endpoint. Throws `RequestFailure`. */
export const read = <E extends Id>(id: E, asked: Asked<E> = {}): Promise<Answer<Row<E>>> =>
  fetchOnce(addressOfRequest(id, asked), (response) => answerOf<Row<E>>(response))

/** The same with all fields that there are. Throws `RequestFailure`. */
export const readFull = <E extends Id>(id: E, asked: Asked<E> = {}): Promise<Answer<FullRow<E>>> =>
  fetchOnce(addressOfRequest(id, { ...asked, fields: 'all' }), (response) => answerOf<FullRow<E>>(response))

async function answerOf<R>(response: Response): Promise<Answer<R>> {
  const answer = await jsonOf<Answer<R>>(response)
  noteGeneration(answer.meta)
  return answer
}

/**
 * The body of an answer of this service, of the shape that the contract says: the tests of the API hold all answers against
 * it. Schemas in the page would weigh half as much as all of its code.
 */
export const jsonOf = <T>(response: Response): Promise<T> => response.json()

/** Answers of this generation, by address, and what is on its way. */
const kept = new Map<string, Promise<unknown>>()

/** What stands at an address below that of the app, asked once for each generation. Throws `RequestFailure`. */
export const fetchOnce = <T>(address: string, parse: (response: Response) => Promise<T>): Promise<T> =>
  once(address, async () => parse(await request(address)))

/** What `ask` gives, asked once for each generation and key; what failed is asked for again. */
export function once<T>(key: string, ask: () => Promise<T>): Promise<T> {
  const known = kept.get(key) as Promise<T> | undefined
  return known ?? keep(key, ask())
}

function keep<T>(key: string, asked: Promise<T>): Promise<T> {
  kept.set(key, asked)
  asked.catch(() => kept.delete(key))
  return asked
}

/** What `ask` gives for several keys, asked once for each generation and key: for all that are not known yet together. */
export function onceForAll<T>(
  keys: readonly string[],
  nameOf: (key: string) => string,
  ask: (missing: readonly string[]) => (key: string) => Promise<T>,
): Promise<T[]> {
  const answerOf = ask(keys.filter((key) => !kept.has(nameOf(key))))
  return Promise.all(keys.map((key) => once(nameOf(key), () => answerOf(key))))
}

/** Of which generations the answers are that are kept. */
const keptGenerations = new Set<string>()

/** Remembers of which generation an answer is. */
export function noteGeneration({ generation }: Partial<Pick<Meta, 'generation'>>): void {
  if (generation !== undefined) keptGenerations.add(generation)
}

/** Whether an answer is kept that is of another generation. */
export const keepsOthersThan = (generation: string | undefined): boolean =>
  [...keptGenerations].some((one) => one !== generation)

/** Forgets what belongs to an older generation, or to who was signed in before. */
export function forgetAnswers(): void {
  kept.clear()
  keptGenerations.clear()
}

/** An answer that is no failure. Throws `RequestFailure`. */
export async function request(address: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init).catch((cause: unknown) => {
    throw new RequestFailure('unreachable', `the service at ${location.host} does not answer (${textOf(cause)})`)
  })
  if (response.ok) return response
  const failure: unknown = await response.json().catch(() => undefined)
  // What stands between may answer otherwise.
  if (!isFailure(failure)) {
    throw new RequestFailure('unreachable', `the service answered with status ${response.status}`, response.status)
  }
  const { code, message, details } = failure.error
  throw new RequestFailure(code, message, response.status, details)
}

type Failure = Pick<z.output<typeof failureSchema>, 'error'>

const isFailure = (body: unknown): body is Failure =>
  isRecord(body) &&
  isRecord(body.error) &&
  typeof body.error.code === 'string' &&
  typeof body.error.message === 'string' &&
  (body.error.details === undefined || isRecord(body.error.details))
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
