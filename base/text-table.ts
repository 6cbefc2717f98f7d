import { printable } from './errors.ts'

/** Rows may be shorter than the head. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (row: readonly string[]): string => row.map((cell, i) => printable(cell).padEnd(widths[i]!)).join('  ')
  return [head, ...rows].map((row) => `${line(row).trimEnd()}\n`).join('')
}
