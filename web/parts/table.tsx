import type { ComponentChildren, HTMLAttributes } from 'preact'

/** `class` is for head and cells. */
export interface TableColumn<Row> {
  readonly name: string
  readonly class?: string
  readonly show: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  readonly class?: string
  /** For screen readers. */
  readonly caption?: string
  readonly columns: readonly TableColumn<Row>[]
  /** Replaces the column names. */
  readonly head?: ComponentChildren
  readonly rows: readonly Row[] | undefined
  readonly rowProps?: (row: Row) => HTMLAttributes<HTMLTableRowElement>
  /** Empty rows until `rows` are known. */
  readonly expected?: number
}

export function Table<Row>({ class: name, caption, columns, head, rows, rowProps, expected = 0 }: TableProps<Row>) {
  return (
    <table class={name}>
      {caption && <caption class="hidden">{caption}</caption>}
      <thead>
        <tr>
          {head ??
            columns.map((column, i) => (
              <th key={i} scope="col" class={column.class}>
                {column.name}
              </th>
            ))}
        </tr>
      </thead>
      <tbody>
        {rows?.map((row, i) => (
          <tr key={i} {...rowProps?.(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        )) ??
          Array.from({ length: expected }, (_, i) => (
            <tr key={i} class="skeleton">
              <td colSpan={columns.length}>{'\u00a0'}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

export function Cells<Row>({ columns, row }: { readonly columns: readonly TableColumn<Row>[]; readonly row: Row }) {
  return (
    <>
      {columns.map((column, i) => {
        const Cell = i === 0 ? 'th' : 'td'
        return (
          <Cell key={i} scope={i === 0 ? 'row' : undefined} class={column.class}>
            {column.show(row)}
          </Cell>
        )
      })}
    </>
  )
}
