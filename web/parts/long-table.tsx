import { Fragment } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { readOrder, type SortableColumn, SortHeads, sortRows } from './sortable-table.tsx'
import { Cells } from './table.tsx'
import { useRowsNear } from './use-rows-near.ts'

interface LongTableProps<Row> {
  readonly caption: string
  readonly columns: readonly SortableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Rows in and near the window. */
  readonly onNear: (rows: readonly Row[]) => void
}

/**
 * `SortableTable` for thousands of rows of one height. The document has only those near the window
 * and the focus.
 */
export function LongTable<Row>({ caption, columns, rows, rowKey, onNear }: LongTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const after = useRef<HTMLSpanElement>(null)
  const [focused, setFocused] = useState<number>()
  const { column, isDescending } = readOrder()
  const ordered = useMemo(
    () => sortRows(rows, columns, { column, isDescending }),
    [rows, columns, column, isDescending],
  )
  const { first, end, height } = useRowsNear(body, ordered.length)
  useEffect(() => onNear(ordered.slice(first, end)), [ordered, first, end])
  // Keys lead from the focused row to its neighbors, wherever the window is.
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
        <thead>
          <tr>
            <SortHeads columns={columns} order={{ column, isDescending }} isOptional />
          </tr>
        </thead>
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
