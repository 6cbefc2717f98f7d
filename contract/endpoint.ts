import { z } from 'zod'

/** Declares a GET endpoint; OpenAPI, validation and routing are derived from it. */
export interface Endpoint<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Row extends z.ZodObject = z.ZodObject,
  More extends z.ZodObject = z.ZodObject,
> extends Declared<Query, Row, More> {
  readonly path: `/v1/${string}`
  readonly access: Access
  readonly pathParameters: Path
  readonly key: readonly string[]
  readonly more: More
}

/**
 * `anyone`: same for all callers; `tier`: limited by the caller's tier; `pro`: needs a key of tier
 * pro or higher.
 */
type Access = 'anyone' | 'tier' | 'pro'

interface Declared<
  Query extends z.ZodObject = z.ZodObject,
  Row extends z.ZodObject = z.ZodObject,
  More extends z.ZodObject = z.ZodObject,
> {
  /** Path without `/v1/`, with `{name}` for parameters; the catalogue's name for the endpoint. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access?: Access
  /** Fraction of the caller's requests per minute; 1 by default. */
  readonly limitShare?: number
  readonly query: Query
  /** Default fields of a row; a catchall allows more names. */
  readonly row: Row
  /** Fields that only the parameter `fields` requests. */
  readonly more?: More
  /** Orders the rows in time; defaults to `date`, else the first field. */
  readonly orderedBy?: string
  /** Identify a row, always returned; defaults to `date`. */
  readonly key?: readonly string[]
  /** Expected number of rows a day; by default 1, or 10 if the key has several fields. */
  readonly rowsPerDay?: number
  /** By default only the history of the caller's tier is read. */
  readonly history?: History
  /** Why start_date and end_date do not limit the rows. */
  readonly undated?: string
}

/**
 * Why an endpoint shows all history to every tier (`all`), or computes visible days from earlier
 * ones (`computedFromAll`). OpenAPI quotes it after `because`.
 */
export type History = { readonly all: string } | { readonly computedFromAll: string }

interface DeclaredWithPath extends Declared {
  readonly pathParameters: z.ZodObject
}

interface Derived<Id extends string> {
  readonly path: `/v1/${Id}`
  readonly access: Access
  readonly key: readonly string[]
}

const nothing = z.object({})
interface NoPathParameters {
  readonly pathParameters: typeof nothing
}
interface NothingMore {
  readonly more: typeof nothing
}
type WithMore<D> = D extends { readonly more: z.ZodObject } ? D : D & NothingMore

/** Defaults: access by tier, no path parameters, rows identified by date. */
export function endpoint<const D extends DeclaredWithPath>(declared: D): WithMore<D> & Derived<D['id']>
export function endpoint<const D extends Declared>(declared: D): WithMore<D> & Derived<D['id']> & NoPathParameters
export function endpoint(declared: Declared): Endpoint {
  return {
    access: 'tier',
    pathParameters: nothing,
    more: nothing,
    key: ['date'],
    ...declared,
    path: `/v1/${declared.id}`,
  }
}

export type EndpointParameters<E extends Endpoint> = z.output<E['pathParameters']> & z.output<E['query']>
