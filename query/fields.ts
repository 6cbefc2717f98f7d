import type { z } from 'zod'
import { findClosest } from '#base/suggestions.ts'
import { invalidParameter } from '#contract/api-error.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Table } from './table/columns.ts'

interface Named {
  readonly name: string
  /** Answered if a request or the declared row names it: a second name, or a field that lengthens lists. */
  readonly alias?: boolean
}

interface WithTable {
  readonly table: Table
  readonly meta?: { readonly withheld?: readonly string[] | undefined }
  /** Fields that rows could have, if the table has only the selected ones. */
  readonly fields?: readonly string[]
}

export class Fields {
  readonly #endpoint: Endpoint
  /** Undefined if no fields are requested. */
  readonly #requested: 'all' | readonly string[] | undefined
  /** Undefined if the contract does not know all of them. */
  readonly #defaults: ReadonlySet<string> | undefined

  constructor(endpoint: Endpoint, requested: string | undefined) {
    this.#endpoint = endpoint
    this.#requested =
      requested === undefined || requested === 'all'
        ? requested
        : [...new Set([...endpoint.key, ...requested.split(',')])]
    this.#defaults = allowsAnyField(endpoint.row) ? undefined : new Set(Object.keys(endpoint.row.shape))
  }

  /** In the order of the request. */
  of<Field extends Named>(all: readonly Field[]): Field[] {
    if (this.#requested === 'all') return all.filter(({ name, alias }) => !alias || this.#defaults?.has(name))
    if (this.#requested !== undefined) return inOrder(all, this.#requested)
    return this.#defaults
      ? inOrder(all, this.#defaults)
      : all.filter(({ name, alias }) => !alias && !(name in this.#endpoint.more.shape))
  }

  /** Expected number of columns if `available` metrics can be selected. */
  count(available: number): number {
    if (typeof this.#requested === 'object') return this.#requested.length
    return (this.#requested ? undefined : this.#defaults?.size) ?? Math.max(available, this.#declared.length)
  }

  select<Answer extends WithTable>(answer: Answer): Answer {
    const { table, meta } = answer
    const columns = table.columns.map(({ name }) => name)
    const withheld = meta?.withheld ?? []
    const all = new Set([...this.#declared, ...columns, ...withheld, ...(answer.fields ?? [])])
    const unknown = typeof this.#requested === 'object' ? this.#requested.find((name) => !all.has(name)) : undefined
    if (unknown !== undefined) throw this.#unknownField(unknown, [...all])
    return { ...answer, table: { ...table, columns: this.of(table.columns) } }
  }

  get #declared(): readonly string[] {
    const { key, row, more } = this.#endpoint
    return [...key, ...Object.keys(row.shape), ...Object.keys(more.shape)]
  }

  #unknownField(name: string, allowed: readonly string[]): Error {
    const meant = findClosest(name, allowed)
    const cure = meant === undefined ? 'fields=all shows all fields' : `did you mean '${meant}'?`
    return invalidParameter('fields', `names a field that ${this.#endpoint.path} does not have; ${cure}`, name)
  }
}

/** Rows may have fields that their schema does not name. */
export const allowsAnyField = (row: z.ZodObject): boolean => row.def.catchall !== undefined

function inOrder<Field extends Named>(all: readonly Field[], names: Iterable<string>): Field[] {
  const byName = new Map(all.map((field) => [field.name, field]))
  return [...names].flatMap((name) => byName.get(name) ?? [])
}
