import type { z } from 'zod'
import { closest } from '#base/suggestions.ts'
import { invalidParameter } from '#contract/api-error.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Table } from './table/columns.ts'

interface Named {
  readonly name: string
}

interface WithTable {
  readonly table: Table
  readonly meta?: { readonly withheld?: readonly string[] | undefined }
  /** All that rows could hold, where the table has no more than what they are to. */
  readonly fields?: readonly string[]
}

/** Which fields the rows of an answer are to hold. */
export class Fields {
  readonly #endpoint: Endpoint
  /** Names in the order of the request; undefined without any. */
  readonly #asked: 'all' | readonly string[] | undefined
  /** Every name that rows hold without being asked for more, where the contract knows them all. */
  readonly #usual: ReadonlySet<string> | undefined

  constructor(endpoint: Endpoint, asked: string | undefined) {
    this.#endpoint = endpoint
    this.#asked = asked === undefined || asked === 'all' ? asked : [...new Set([...endpoint.key, ...asked.split(',')])]
    this.#usual = holdsAny(endpoint.row) ? undefined : new Set(Object.keys(endpoint.row.shape))
  }

  /** Of all fields that there are, those that rows are to hold, in the order in which they are to. */
  of<Field extends Named>(all: readonly Field[]): Field[] {
    if (this.#asked === 'all') return [...all]
    if (this.#asked !== undefined) return inOrder(all, this.#asked)
    return this.#usual ? inOrder(all, this.#usual) : all.filter(({ name }) => !(name in this.#endpoint.more.shape))
  }

  /** The answer with these fields alone. Throws `invalid_parameter` for a field that there is not. */
  select<Answer extends WithTable>(answer: Answer): Answer {
    const { table, meta } = answer
    const columns = table.columns.map(({ name }) => name)
    const withheld = meta?.withheld ?? []
    const all = new Set([...this.#declared, ...columns, ...withheld, ...(answer.fields ?? [])])
    const unknown = typeof this.#asked === 'object' ? this.#asked.find((name) => !all.has(name)) : undefined
    if (unknown !== undefined) throw this.#unknownField(unknown, [...all])
    return { ...answer, table: { rows: table.rows, columns: this.of(table.columns) } }
  }

  get #declared(): readonly string[] {
    const { key, row, more } = this.#endpoint
    return [...key, ...Object.keys(row.shape), ...Object.keys(more.shape)]
  }

  #unknownField(name: string, allowed: readonly string[]): Error {
    const meant = closest(name, allowed)
    const cure = meant === undefined ? 'fields=all shows all fields' : `did you mean '${meant}'?`
    return invalidParameter('fields', `names a field that ${this.#endpoint.path} does not have; ${cure}`, name)
  }
}

/** Whether rows of a schema may hold fields that it does not name. */
export const holdsAny = (row: z.ZodObject): boolean => row.def.catchall !== undefined

function inOrder<Field extends Named>(all: readonly Field[], names: Iterable<string>): Field[] {
  const byName = new Map(all.map((field) => [field.name, field]))
  return [...names].flatMap((name) => byName.get(name) ?? [])
}
