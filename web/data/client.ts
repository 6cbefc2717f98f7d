import type { z } from 'zod'
import { type Parameters, type Path, writeAddress } from '#clients/typescript/address.ts'
import type { FullRow as AllRow, Answer, DefaultRow } from '#clients/typescript/rows.ts'
import type { failureSchema, Meta } from '#contract/envelope.ts'
import { RequestFailure } from './failure.ts'

/** Of data endpoints: their paths without `/v1/`. */
export type EndpointId = Path extends `/v1/${infer I}` ? I : never
export type Query<E extends EndpointId> = {
  readonly [Name in keyof Parameters<`/v1/${E}`>]?: Parameters<`/v1/${E}`>[Name] | undefined
}
export type Row<E extends EndpointId> = DefaultRow<`/v1/${E}`>
/** A row with all fields that there are. */
export type FullRow<E extends EndpointId> = AllRow<`/v1/${E}`>

/** The address of a request, below that of the app. */
export const requestPath = <E extends EndpointId>(id: E, query: Query<E>): string => writeAddress(`v1/${id}`, query)

/** The rows of a data endpoint. Throws `RequestFailure`. */
export const read = <E extends EndpointId>(id: E, query: Query<E> = {}): Promise<Answer<Row<E>>> =>
  fetchCached(requestPath(id, query), (response) => readAnswer<Row<E>>(response))

/** The same with all fields that there are. Throws `RequestFailure`. */
export const readFull = <E extends EndpointId>(id: E, query: Query<E> = {}): Promise<Answer<FullRow<E>>> =>
  fetchCached(requestPath(id, { ...query, fields: 'all' }), (response) => readAnswer<FullRow<E>>(response))

async function readAnswer<R>(response: Response): Promise<Answer<R>> {
  const answer = await readJson<Answer<R>>(response)
  noteGeneration(answer.meta)
  return answer
}

/**
 * The body of an answer of this service, of the shape that the contract says: the tests of the API hold all answers against
 * it. Schemas in the page would weigh half as much as all of its code.
 */
export const readJson = <T>(response: Response): Promise<T> => response.json()

/** Answers of this generation, by address, and what is on its way. */
const cache = new Map<string, Promise<unknown>>()

/** What stands at an address below that of the app, asked once for each generation. Throws `RequestFailure`. */
export const fetchCached = <T>(address: string, parse: (response: Response) => Promise<T>): Promise<T> =>
  cached(address, async () => parse(await request(address)))

/** What `ask` gives, asked once for each generation and key; what failed is asked for again. */
export function cached<T>(key: string, load: () => Promise<T>): Promise<T> {
  const known = cache.get(key) as Promise<T> | undefined
  if (known !== undefined) return known
  const loading = load()
  cache.set(key, loading)
  loading.catch(() => cache.delete(key))
  return loading
}

/** What `ask` gives for several keys, asked once for each generation and key: for all that are not known yet together. */
export function cachedAll<T>(
  keys: readonly string[],
  nameOf: (key: string) => string,
  ask: (missing: readonly string[]) => (key: string) => Promise<T>,
): Promise<T[]> {
  const answerOf = ask(keys.filter((key) => !cache.has(nameOf(key))))
  return Promise.all(keys.map((key) => cached(nameOf(key), () => answerOf(key))))
}

/** Of which generations the answers are that are kept. */
const cachedGenerations = new Set<string>()

/** Remembers of which generation an answer is. */
export function noteGeneration({ generation }: Partial<Pick<Meta, 'generation'>>): void {
  if (generation !== undefined) cachedGenerations.add(generation)
}

/** Whether an answer is kept that is of another generation. */
export const hasOtherGeneration = (generation: string | undefined): boolean =>
  [...cachedGenerations].some((one) => one !== generation)

/** Forgets what belongs to an older generation, or to who was signed in before. */
export function clearCache(): void {
  cache.clear()
  cachedGenerations.clear()
}

/** An answer that is no failure. Throws `RequestFailure`. */
export async function request(address: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init).catch((cause: unknown) => {
    throw new RequestFailure('unreachable', `the service at ${location.host} does not answer (${errorText(cause)})`)
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

const errorText = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
