import { z } from 'zod'

/**
 * `anyone`: same for all callers; `tier`: limited by it; `pro`: needs a key of tier pro or higher.
 */
type Access = 'anyone' | 'tier' | 'pro'

interface Declared<Path extends z.ZodObject = z.ZodObject, Query extends z.ZodObject = z.ZodObject> {
  /** Path without `/v1/`, with `{name}` for parameters; the catalogue's name for the endpoint. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access?: Access
  /** Fraction of the caller's requests per minute (default: 1). */
  readonly limitShare?: number
  readonly pathParameters?: Path
  readonly query: Query
  /** Default fields of a row; a catchall allows more names. */
  readonly row: z.ZodObject
  /** Fields only on request (`fields`). */
  readonly more?: z.ZodObject
  /** Orders the rows in time; defaults to `date`, else the first field. */
  readonly orderedBy?: string
  /** Identify a row, always returned; defaults to `date`. */
  readonly key?: readonly string[]
  /** Expected rows a day; by default 1, or 10 if the key has several fields. */
  readonly rowsPerDay?: number
  /** By default only the history of the caller's tier is read. */
  readonly history?: History
  /** Why start_date and end_date do not limit the rows. */
  readonly undated?: string
}

/** Declares a GET endpoint; OpenAPI, validation and routing derive from it. */
export interface Endpoint<Path extends z.ZodObject = z.ZodObject, Query extends z.ZodObject = z.ZodObject>
  extends Declared<Path, Query> {
  readonly path: `/v1/${string}`
  readonly access: Access
  readonly pathParameters: Path
  readonly key: readonly string[]
  readonly more: z.ZodObject
}

/**
 * Why an endpoint shows all history to every tier (`all`), or computes visible days from earlier
 * ones (`computedFromAll`). OpenAPI quotes it after `because`.
 */
export type History = { readonly all: string } | { readonly computedFromAll: string }

const nothing = z.object({})
const defaults = { access: 'tier', pathParameters: nothing, more: nothing, key: ['date'] } as const

export function endpoint<const D extends Declared>(
  declared: D,
): Omit<typeof defaults, keyof D> & D & { readonly path: `/v1/${D['id']}` }
export function endpoint(declared: Declared): object {
  return { ...defaults, ...declared, path: `/v1/${declared.id}` }
}

export type EndpointParameters<E extends Endpoint> = z.output<E['pathParameters']> & z.output<E['query']>
