/** A text with `rows` in place of those under a table's header. */
export function withTable(text: string, header: string, rows: readonly string[]): string {
  const begin = text.indexOf(header)
  const end = text.indexOf('\n\n', begin)
  if (begin < 0 || end < 0) throw new Error(`there is no table with the header ${header}`)
  return text.slice(0, begin) + header + rows.join('\n') + text.slice(end)
}
