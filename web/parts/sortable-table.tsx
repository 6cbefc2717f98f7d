import { replaceQuery, route } from '../app/router.ts'
import { Table, type TableColumn } from './table.tsx'

export interface SortableColumn<Row> extends TableColumn<Row> {
  readonly id: string
  /** Sort key; columns without it cannot be sorted. */
  readonly value?: (row: Row) => number | string | null | undefined
  /** Numbers sort descending first. */
  readonly isNumber?: boolean
}

interface Order {
  readonly column: string
  readonly isDescending: boolean
}

interface SortableTableProps<Row> {
  readonly caption: string
  readonly columns: readonly SortableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly defaultSort: string
}

/** The address holds the order: `sort=COLUMN`, or `sort=-COLUMN` for descending. */
export function SortableTable<Row>({ caption, columns, rows, defaultSort }: SortableTableProps<Row>) {
  const order = readOrder(defaultSort)
  return (
    <section class="table" aria-label={caption}>
      <Table
        caption={caption}
        columns={columns}
        rows={sortRows(rows, columns, order)}
        head={<SortHeads columns={columns} order={order} />}
      />
    </section>
  )
}

interface SortHeadsProps<Row> {
  readonly columns: readonly SortableColumn<Row>[]
  readonly order: Order
  /** A third click restores the order of `rows`. */
  readonly isOptional?: boolean
}

export const SortHeads = <Row,>({ columns, order, isOptional = false }: SortHeadsProps<Row>) => (
  <>
    {columns.map(({ id, name, class: className, value, isNumber = false }) => {
      const isSorted = value !== undefined && order.column === id
      const isNextDescending = isSorted ? !order.isDescending : isNumber
      const isLast = isOptional && isSorted && order.isDescending !== isNumber
      const sort = isLast ? undefined : `${isNextDescending ? '-' : ''}${id}`
      return (
        <th
          key={id}
          scope="col"
          class={className}
          aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined}
        >
          {value ? (
            <button type="button" onClick={() => replaceQuery({ sort })}>
              {name}
              <span aria-hidden="true">{isSorted ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
            </button>
          ) : (
            name
          )}
        </th>
      )
    })}
  </>
)

export function readOrder(defaultSort = ''): Order {
  const text = route.value.query.get('sort') ?? defaultSort
  const isDescending = text.startsWith('-')
  return { column: isDescending ? text.slice(1) : text, isDescending }
}

/** Unknown values come last in both orders; the sort is stable. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  { column, isDescending }: Order,
): readonly Row[] {
  const sortKey = columns.find(({ id }) => id === column)?.value
  if (!sortKey) return rows
  const isKnown = (key: unknown): boolean => key !== null && key !== undefined && !Number.isNaN(key)
  return rows
    .map((row) => ({ row, key: sortKey(row) }))
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
