import type { ComponentChildren } from 'preact'
import { replaceQuery, route } from '../app/router.ts'

export interface TableColumn<Row> {
  readonly id: string
  readonly name: string
  /** Sort key; numbers sort from the greatest first, unknown values last. Without it, the column cannot be sorted. */
  readonly value?: (row: Row) => number | string | null | undefined
  readonly show: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
  readonly isLine?: boolean
  /** Hidden below 1,000 pixels, or on phones. */
  readonly hideOn?: 'narrow' | 'phone'
}

interface Order {
  readonly column: string
  readonly isDescending: boolean
}

interface SortableTableProps<Row> {
  readonly caption: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  readonly defaultSort: string
}

/** A table sorted by its heads. The address holds the order as `sort=COLUMN`, or `sort=-COLUMN` for descending. */
export function SortableTable<Row>({ caption, columns, rows, rowKey, defaultSort }: SortableTableProps<Row>) {
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
                const Cell = i === 0 ? 'th' : 'td'
                return (
                  <Cell key={column.id} scope={i === 0 ? 'row' : undefined} class={columnClass(column)}>
                    {column.show(row)}
                  </Cell>
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

/** Unknown values come last in both orders; the sort is stable. */
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

/** A column is a name, or a name with a CSS class. */
export function TableHead({
  columns,
}: {
  readonly columns: readonly (string | readonly [name: string, className: string])[]
}) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const [name, className] = typeof column === 'string' ? [column] : column
          return (
            <th key={name} scope="col" class={className}>
              {name}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
