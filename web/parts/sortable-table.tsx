import type { ComponentChildren } from 'preact'
import { replaceQuery, route } from '../app/router.ts'

/** A column of a table; rows are sorted by `value`, and shown by `show`. */
export interface TableColumn<Row> {
  readonly id: string
  readonly name: string
  /** Numbers stand at the right and begin with the greatest when sorted by; nothing known comes last. Without it one cannot sort. */
  readonly value?: (row: Row) => number | string | null | undefined
  readonly show: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
  /** It holds a small line. */
  readonly isLine?: boolean
  /** Left out where there is little room: on screens below 1,000 pixels, or on phones only. */
  readonly hideOn?: 'narrow' | 'phone'
}

interface Order {
  readonly column: string
  readonly isDescending: boolean
}

/**
 * A table whose heads sort it. The order stands in the address as `sort`: a column, with `-` before it where the
 * greatest comes first.
 */
export function SortableTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  defaultSort,
}: {
  readonly caption: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  /** The order where the address names none. */
  readonly defaultSort: string
}) {
  const order = parseOrder(route.value.query.get('sort') ?? defaultSort)
  const sortable = columns.find(({ id, value }) => id === order.column && value)
  return (
    <section class="table" aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.id} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {(sortable ? sorted(rows, sortable, order) : rows).map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column, i) => {
                const content = column.show(row)
                return i === 0 ? (
                  <th key={column.id} scope="row" class={columnClass(column)}>
                    {content}
                  </th>
                ) : (
                  <td key={column.id} class={columnClass(column)}>
                    {content}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Head<Row>({ column, order }: { readonly column: TableColumn<Row>; readonly order: Order }) {
  const { id, name, value, isNumber = false } = column
  if (!value)
    return (
      <th scope="col" class={columnClass(column)}>
        {name}
      </th>
    )
  const isSorted = order.column === id
  const isNextDescending = isSorted ? !order.isDescending : isNumber
  return (
    <th
      scope="col"
      class={columnClass(column)}
      aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" onClick={() => replaceQuery({ sort: `${isNextDescending ? '-' : ''}${id}` })}>
        {name}
        <span aria-hidden="true">{isSorted ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  )
}

const columnClass = <Row,>({ isNumber, isLine, hideOn }: TableColumn<Row>): string | undefined =>
  [isNumber ? 'number' : '', isLine ? 'line' : '', hideOn ? `not-${hideOn}` : '']
    .filter((name) => name !== '')
    .join(' ') || undefined

function parseOrder(text: string): Order {
  const isDescending = text.startsWith('-')
  return { column: isDescending ? text.slice(1) : text, isDescending }
}

/** Rows of which nothing is known come last in both orders; equal ones stay as they were. */
export function sorted<Row>(rows: readonly Row[], { value }: TableColumn<Row>, { isDescending }: Order): Row[] {
  const keyed = rows.map((row) => ({ row, key: value?.(row) }))
  const isKnown = (key: unknown): boolean => key !== null && key !== undefined && !Number.isNaN(key)
  return keyed
    .sort((a, b) => {
      if (!isKnown(a.key) || !isKnown(b.key)) return Number(isKnown(b.key)) - Number(isKnown(a.key))
      const order =
        typeof a.key === 'number' && typeof b.key === 'number'
          ? a.key - b.key
          : String(a.key).localeCompare(String(b.key), 'en', { numeric: true })
      return isDescending ? -order : order
    })
    .map(({ row }) => row)
}
