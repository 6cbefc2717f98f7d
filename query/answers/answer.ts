import type { Endpoint, EndpointParameters, History } from '#contract/endpoint.ts'
import type { Meta } from '#contract/envelope.ts'
import type { Fields } from '../fields.ts'
import { emptyTable, type Table } from '../table/columns.ts'
import type { UnrestrictedView, View } from '../view.ts'

export interface Answer {
  readonly table: Table
  readonly meta?: AnswerMeta
  /** JSON to send instead of the rows, which are only counted. */
  readonly json?: string
  /** Fields that rows could have, if the table has only the selected ones. */
  readonly fields?: readonly string[]
  /** Part of the ETag: changes with data that change between publications. */
  readonly version?: string
  /** Says why it is not whole. */
  readonly cut?: string | undefined
}

export type AnswerMeta = Omit<Meta, 'generation' | 'simulated'>

/** Other generations, with the same caller's rights. */
export interface RetainedViews {
  /** As `read` of the generation `id`, or of the one published before `than`; undefined without it. */
  readonly readEarlier: <T>(than: string, read: (view: View) => Promise<T>, id?: string) => Promise<T | undefined>
}

/** Reads all days only if the endpoint declares why. */
export type Answerer<E extends Endpoint> = (
  view: E extends { readonly history: History } ? UnrestrictedView : View,
  parameters: EndpointParameters<E>,
  fields: Fields,
  retained: RetainedViews,
) => Answer | Promise<Answer>

export const noData: Answer = { table: emptyTable, meta: { note: 'there is no data of this kind yet' } }

export function withheldMeta(fields: readonly { readonly name: string; readonly grade: number }[]): AnswerMeta {
  if (fields.length === 0) return {}
  const highest = Math.max(...fields.map(({ grade }) => grade))
  return { withheld: fields.map(({ name }) => name), withheld_tier: highest > 1 ? 'enterprise' : 'pro' }
}
