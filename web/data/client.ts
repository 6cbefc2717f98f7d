import { signal } from '@preact/signals'
import { shareSuccess } from '#base/shared-promises.ts'
import { type Parameters, type Path, writeAddress } from '#clients/typescript/address.ts'
import { RequestError, sendRequest } from '#clients/typescript/request.ts'
import type { FullRow as AllRow, Answer, DefaultRow } from '#clients/typescript/rows.ts'
import type { Meta } from '#contract/envelope.ts'
import { sendPaced } from './pacing.ts'

/** Path of a data endpoint without `/v1/`. */
export type EndpointId = Path extends `/v1/${infer I}` ? I : never
export type Query<E extends EndpointId> = {
  readonly [Name in keyof Parameters<`/v1/${E}`>]?: Parameters<`/v1/${E}`>[Name] | undefined
}
export type Row<E extends EndpointId> = DefaultRow<`/v1/${E}`>
export type FullRow<E extends EndpointId> = AllRow<`/v1/${E}`>

/** Relative to the app. */
export const requestPath = <E extends EndpointId>(id: E, query: Query<E>): string => writeAddress(`v1/${id}`, query)

export const read = <E extends EndpointId>(id: E, query: Query<E> = {}): Promise<Answer<Row<E>>> =>
  fetchCached(id, query, (response) => readAnswer<Row<E>>(response))

export const readFull = <E extends EndpointId>(id: E, query: Query<E> = {}): Promise<Answer<FullRow<E>>> =>
  fetchCached(id, { ...query, fields: 'all' }, (response) => readAnswer<FullRow<E>>(response))

async function readAnswer<R>(response: Response): Promise<Answer<R>> {
  const answer = await readJson<Answer<R>>(response)
  noteGeneration(answer.meta)
  return answer
}

/**
 * Unchecked at run time: the API's tests validate all answers, and schemas would add half of the
 * page's code.
 */
export const readJson = <T>(response: Response): Promise<T> => response.json()

/** Answers of this generation, also pending ones, by key. */
const cache = new Map<string, Promise<unknown>>()

/** Sends a paced request, once per generation. Throws `PageLeft`. */
export function fetchCached<T, E extends EndpointId>(
  id: E,
  query: Query<E>,
  parse: (response: Response) => Promise<T>,
): Promise<T> {
  const address = requestPath(id, query)
  return cached(address, async () => parse(await sendPaced(id, () => request(address))))
}

/** Shares one promise per key and generation. Failures are not cached. */
export const cached = <T>(key: string, load: () => Promise<T>): Promise<T> =>
  shareSuccess(cache, key, load) as Promise<T>

/** As `cached`, but loads all missing keys with one call. */
export function cachedAll<T>(
  keys: readonly string[],
  toKey: (key: string) => string,
  load: (missing: readonly string[]) => (key: string) => Promise<T>,
): Promise<T[]> {
  const loadOne = load(keys.filter((key) => !cache.has(toKey(key))))
  return Promise.all(keys.map((key) => cached(toKey(key), () => loadOne(key))))
}

const cachedGenerations = new Set<string>()

export function noteGeneration({ generation }: Partial<Pick<Meta, 'generation'>>): void {
  if (generation !== undefined) cachedGenerations.add(generation)
}

export const hasOtherGeneration = (generation: string | undefined): boolean =>
  [...cachedGenerations].some((one) => one !== generation)

export function clearCache(): void {
  cache.clear()
  cachedGenerations.clear()
}

/** Number of requests without an answer. */
export const unanswered = signal(0)

/** Repeats GET after short waits. Browsers send ETags by themselves. */
export const request = (address: string, init: RequestInit = {}): Promise<Response> =>
  sendRequest(new URL(address, document.baseURI).href, init, {
    maxRetries: (init.method ?? 'GET') === 'GET' ? 2 : 0,
    maxWaitSeconds: 5,
  }).catch((error: unknown) => {
    if (error instanceof RequestError && error.code === 'unreachable') unanswered.value++
    throw error
  })
