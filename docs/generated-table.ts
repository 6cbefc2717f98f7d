/** Replaces the rows of the table with this header. */
export function withTable(page: string, header: string, rows: readonly string[]): string {
  const begin = page.indexOf(header)
  const end = page.indexOf('\n\n', begin + header.length)
  if (begin < 0) throw new Error(`there is no table with the header ${header}`)
  return page.slice(0, begin) + header + rows.join('\n') + (end < 0 ? '\n' : page.slice(end))
}
