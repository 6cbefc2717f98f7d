import type { Path } from './address.ts'
import type { Endpoints, Meta } from './endpoints.ts'

type Row<P extends Path> = Endpoints[P]['row']
type Others<P extends Path> = { readonly [Name in Endpoints[P]['named']]?: Endpoints[P]['others'] | undefined }

/** Names that the parameter `fields` accepts. */
export type FieldName<P extends Path> = 'all' | (keyof Row<P> & string) | Endpoints[P]['named']

/** Without the parameter `fields`. */
export type DefaultRow<P extends Path> = Partial<Row<P>> &
  Required<Pick<Row<P>, Endpoints[P]['default'] & keyof Row<P>>> &
  Others<P>

/** With `fields=all`. */
export type FullRow<P extends Path> = DefaultRow<P> & Required<Pick<Row<P>, Endpoints[P]['full'] & keyof Row<P>>>

/** Fields above the caller's tier are absent. */
export type ChosenRow<P extends Path, Field extends string> = 'all' extends Field
  ? FullRow<P>
  : Pick<Row<P>, Endpoints[P]['key'] & keyof Row<P>> & {
      readonly [Name in Field]?: Name extends keyof Row<P> ? Row<P>[Name] : Endpoints[P]['others']
    }

export interface Answer<R> {
  readonly data: readonly R[]
  readonly meta: Meta
}
