import type { Path } from './address.ts'
import type { Endpoints, Meta } from './endpoints.ts'

type Row<P extends Path> = Endpoints[P]['row']
type Others<P extends Path> = [Endpoints[P]['others']] extends [never]
  ? unknown
  : { readonly [field: string]: Endpoints[P]['others'] | undefined }

/** A row without the parameter `fields`. */
export type DefaultRow<P extends Path> = Partial<Row<P>> &
  Required<Pick<Row<P>, Endpoints[P]['default'] & keyof Row<P>>> &
  Others<P>

/** A row with `fields=all`. */
export type FullRow<P extends Path> = DefaultRow<P> & Required<Pick<Row<P>, Endpoints[P]['full'] & keyof Row<P>>>

/** A row with chosen fields; those above the caller's tier are absent. */
export type ChosenRow<P extends Path, Field extends string> = Pick<Row<P>, Endpoints[P]['key'] & keyof Row<P>> & {
  readonly [Name in Field]?: Name extends keyof Row<P> ? Row<P>[Name] : Endpoints[P]['others']
}

export interface Answer<R> {
  readonly data: readonly R[]
  readonly meta: Meta
}
