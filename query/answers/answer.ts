import type { Endpoint, History, ParametersOf } from '#contract/endpoint.ts'
import type { Meta } from '#contract/envelope.ts'
import type { Fields } from '../fields.ts'
import { emptyTable, type Table } from '../table/columns.ts'
import type { View, ViewOfAll } from '../view.ts'

/** Rows, and what there is to say about them. */
export interface Answer {
  readonly table: Table
  readonly meta?: AnswerMeta
  /** All that rows could hold, where the table has no more than what they are to. */
  readonly fields?: readonly string[]
  /** Tells it from other answers of the same generation, where what it shows changes between publications. */
  readonly version?: string
}

export type AnswerMeta = Omit<Meta, 'generation' | 'simulated'>

/** The other kept generations, as the same caller may see them. */
export interface KeptViews {
  /** The one of an id, else the one that was published before another; undefined where there is none. Throws `not_found`. */
  readonly earlier: (than: string, id?: string) => Promise<View | undefined>
}

/** Answers an endpoint from what the caller may see; from all days only where the endpoint declares why. */
export type Answerer<E extends Endpoint> = (
  view: E extends { readonly history: History } ? ViewOfAll : View,
  parameters: ParametersOf<E>,
  fields: Fields,
  kept: KeptViews,
) => Answer | Promise<Answer>

/** No rows, because what they would show is not known here. */
export const noData: Answer = { table: emptyTable, meta: { note: 'there is no data of this kind yet' } }

/** What `meta` says of withheld fields. */
export function withheldMeta(fields: readonly { readonly name: string; readonly grade: number }[]): AnswerMeta {
  if (fields.length === 0) return {}
  const highest = Math.max(...fields.map(({ grade }) => grade))
  return { withheld: fields.map(({ name }) => name), withheld_tier: highest > 1 ? 'enterprise' : 'pro' }
}
