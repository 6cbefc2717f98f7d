/** The heads of the columns of a table; one of a class is written with it. */
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
