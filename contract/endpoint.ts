import { z } from 'zod'

/** A data endpoint as clients see it: OpenAPI, validation and routing are made from this. All are GET. */
export interface Endpoint<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Row extends z.ZodType = z.ZodType,
> {
  /** With `{name}` for each parameter in the path. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** `anyone`: same for all callers; `tier`: what the caller's tier allows; `pro`: a key of that tier or higher. */
  readonly access: 'anyone' | 'tier' | 'pro'
  /** Share of the usual requests a minute that a caller may make, if not all. */
  readonly limitShare?: number
  readonly pathParameters: Path
  readonly query: Query
  readonly row: Row
}

const noParameters = z.object({})

type Declared<Path extends z.ZodObject, Query extends z.ZodObject, Row extends z.ZodType> = Omit<
  Endpoint<Path, Query, Row>,
  'pathParameters' | 'access'
> & { pathParameters?: Path; access?: Endpoint['access'] }

/** Declares an endpoint; it obeys tiers and has no parameters in its path unless it says so. */
export function endpoint<Path extends z.ZodObject, Query extends z.ZodObject, Row extends z.ZodType>(
  declared: Declared<Path, Query, Row> & { pathParameters: Path },
): Endpoint<Path, Query, Row>
export function endpoint<Query extends z.ZodObject, Row extends z.ZodType>(
  declared: Declared<never, Query, Row>,
): Endpoint<typeof noParameters, Query, Row>
export function endpoint(declared: Declared<z.ZodObject, z.ZodObject, z.ZodType>): Endpoint {
  return { access: 'tier', pathParameters: noParameters, ...declared }
}

export type ParametersOf<E extends Endpoint> = z.output<E['pathParameters']> & z.output<E['query']>
