import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { replaceQuery, route } from '../app/router.ts'
import { useRowsNear } from './use-rows-near.ts'

export interface TableColumn<Row> {
  readonly id: string
  readonly name: string
  /**
   * Sort key; numbers sort from the greatest first, unknown values last. Without it, the column
   * cannot be sorted.
   */
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
  /** Empty for the order of `rows`. */
  readonly defaultSort: string
}

/**
 * A table sorted by its heads. The address holds the order as `sort=COLUMN`, or `sort=-COLUMN` for
 * descending.
 */
export function SortableTable<Row>({ caption, columns, rows, rowKey, defaultSort }: SortableTableProps<Row>) {
  const order = readOrder(defaultSort)
  return (
    <section class="table" aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <Heads columns={columns} order={order} isOptional={defaultSort === ''} />
        <tbody>
          {sortRows(rows, columns, order).map((row) => (
            <tr key={rowKey(row)}>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface LongTableProps<Row> extends SortableTableProps<Row> {
  /** Called with the rows in and near the window. */
  readonly onNear: (rows: readonly Row[]) => void
}

/**
 * As `SortableTable` for thousands of rows of one height. Only those near the window are in the
 * document, and the one with the focus; its head says how many there are.
 */
export function LongTable<Row>({ caption, columns, rows, rowKey, defaultSort, onNear }: LongTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const after = useRef<HTMLSpanElement>(null)
  const [focused, setFocused] = useState<number>()
  const { column, isDescending } = readOrder(defaultSort)
  const ordered = useMemo(
    () => sortRows(rows, columns, { column, isDescending }),
    [rows, columns, column, isDescending],
  )
  const { first, end, height } = useRowsNear(body, ordered.length)
  useEffect(() => onNear(ordered.slice(first, end)), [ordered, first, end])
  // Keys lead from the row with the focus to those beside it, wherever the window is.
  const beside = focused === undefined ? [] : [focused - 1, focused, focused + 1]
  const shown = [...Array.from({ length: end - first }, (_, i) => first + i), ...beside]
  const near = [...new Set(shown.filter((i) => i >= 0 && i < ordered.length))].sort((a, b) => a - b)
  const gapBefore = (place: number): number => near[place]! - (near[place - 1] ?? -1) - 1
  return (
    <section class="table" aria-label={caption}>
      <button type="button" class="skip" onClick={() => after.current?.focus()}>
        Skip the list
      </button>
      <table aria-rowcount={ordered.length + 1}>
        <caption class="hidden">{caption}</caption>
        <Heads columns={columns} order={{ column, isDescending }} isOptional={defaultSort === ''} />
        <tbody
          ref={body}
          onFocusIn={({ target }) => {
            const index = target instanceof Element && target.closest('tr')?.getAttribute('aria-rowindex')
            if (index) setFocused(Number(index) - 2)
          }}
          onFocusOut={({ relatedTarget }) => {
            const isInside = relatedTarget instanceof Node && body.current?.contains(relatedTarget)
            if (!isInside) setFocused(undefined)
          }}
        >
          {near.map((i, place) => (
            <Fragment key={rowKey(ordered[i]!)}>
              <Gap height={gapBefore(place) * height} />
              <tr aria-rowindex={i + 2}>
                <Cells columns={columns} row={ordered[i]!} />
              </tr>
            </Fragment>
          ))}
          <Gap height={(ordered.length - 1 - (near.at(-1) ?? -1)) * height} />
        </tbody>
      </table>
      <span ref={after} tabIndex={-1} />
    </section>
  )
}

const Gap = ({ height }: { readonly height: number }) =>
  height > 0 ? <tr class="gap" style={{ height: `${height}px` }} /> : null

interface HeadsProps<Row> {
  readonly columns: readonly TableColumn<Row>[]
  readonly order: Order
  /** A third click leads back to the order of the rows. */
  readonly isOptional: boolean
}

function Heads<Row>({ columns, order, isOptional }: HeadsProps<Row>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <Head key={column.id} column={column} order={order} isOptional={isOptional} />
        ))}
      </tr>
    </thead>
  )
}

function Cells<Row>({ columns, row }: { readonly columns: readonly TableColumn<Row>[]; readonly row: Row }) {
  return (
    <>
      {columns.map((column, i) => {
        const Cell = i === 0 ? 'th' : 'td'
        return (
          <Cell key={column.id} scope={i === 0 ? 'row' : undefined} class={columnClass(column)}>
            {column.show(row)}
          </Cell>
        )
      })}
    </>
  )
}

function Head<Row>({
  column,
  order,
  isOptional,
}: Omit<HeadsProps<Row>, 'columns'> & { readonly column: TableColumn<Row> }) {
  const { id, name, value, isNumber = false } = column
  if (!value)
    return (
      <th scope="col" class={columnClass(column)}>
        {name}
      </th>
    )
  const isSorted = order.column === id
  const isNextDescending = isSorted ? !order.isDescending : isNumber
  const isLast = isOptional && isSorted && order.isDescending !== isNumber
  return (
    <th
      scope="col"
      class={columnClass(column)}
      aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        onClick={() => replaceQuery({ sort: isLast ? undefined : `${isNextDescending ? '-' : ''}${id}` })}
      >
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

function readOrder(defaultSort: string): Order {
  const text = route.value.query.get('sort') ?? defaultSort
  const isDescending = text.startsWith('-')
  return { column: isDescending ? text.slice(1) : text, isDescending }
}

function sortRows<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], order: Order): readonly Row[] {
  const sortable = columns.find(({ id, value }) => id === order.column && value)
  return sortable ? sorted(rows, sortable, order) : rows
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

export const SkeletonRows = ({ rows, columns }: { readonly rows: number; readonly columns: number }) => (
  <>
    {Array.from({ length: rows }, (_, i) => (
      <tr key={i} class="skeleton">
        <td colSpan={columns}>{'\u00a0'}</td>
      </tr>
    ))}
  </>
)

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
