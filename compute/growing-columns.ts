import { copyInto } from '#ingest/chain/bytes.ts'

const none = new Float64Array(0)

export class GrowingColumns<Name extends string> {
  readonly names: readonly Name[]
  rows = 0
  #columns: Float64Array[]

  constructor(names: readonly Name[]) {
    this.names = names
    this.#columns = names.map(() => new Float64Array(1024))
  }

  /** Appends a row: `values`, then `more`, in the order of the names. */
  push(values: readonly number[], more: Float64Array = none): void {
    if (this.rows === this.#columns[0]!.length) {
      this.#columns = this.#columns.map((column) => copyInto(new Float64Array(2 * column.length), column))
    }
    for (let i = 0; i < values.length; i++) this.#columns[i]![this.rows] = values[i]!
    for (let i = 0; i < more.length; i++) this.#columns[values.length + i]![this.rows] = more[i]!
    this.rows++
  }

  take(): Record<Name, Float64Array> {
    const entries = this.names.map((name, i) => [name, this.#columns[i]!.slice(0, this.rows)] as const)
    return Object.fromEntries(entries) as Record<Name, Float64Array>
  }
}
