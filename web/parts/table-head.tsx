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
