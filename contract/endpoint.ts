import { z } from 'zod'

/** A data endpoint as clients see it: OpenAPI, validation and routing are made from this. All are GET. */
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

/** `anyone`: same for all callers; `tier`: what the caller's tier allows; `pro`: a key of that tier or higher. */
type Access = 'anyone' | 'tier' | 'pro'

interface Declared<
  Query extends z.ZodObject = z.ZodObject,
  Row extends z.ZodObject = z.ZodObject,
  More extends z.ZodObject = z.ZodObject,
> {
  /** Its path without `/v1/`, with `{name}` for each parameter; the catalogue says by it where metrics are served. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access?: Access
  /** Share of the usual requests a minute that a caller may make, if not all. */
  readonly limitShare?: number
  readonly query: Query
  /** What rows hold without the parameter `fields`; those of further names, too, where there is a catchall. */
  readonly row: Row
  /** What they hold besides where `fields` asks for it. */
  readonly more?: More
  /** The field by which rows stand in time; `date` unless declared, else the first. */
  readonly orderedBy?: string
  /** The fields that tell rows apart, which they hold whatever `fields` asks for; `date` unless declared. */
  readonly key?: readonly string[]
  /** Without it rows begin with the history of the caller's tier, and nothing before it is read. */
  readonly history?: History
  /** Why start_date and end_date, where there are such parameters, do not bound the rows. */
  readonly undated?: string
}

/**
 * Why an endpoint shows all history to every tier (`all`), or shows days of the caller's history but reads those before
 * to do so (`computedFromAll`). The reason stands in the OpenAPI document: `because …`.
 */
export type History = { readonly all: string } | { readonly computedFromAll: string }

interface DeclaredWithPath extends Declared {
  readonly pathParameters: z.ZodObject
}

/** What follows from what is declared. */
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

/** Declares an endpoint; it obeys tiers and has no parameters in its path unless it says so. */
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
