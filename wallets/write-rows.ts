import { chmodSync, writeFileSync } from 'node:fs'
import { isoDate, isoTime, secondsPerDay } from '#base/days.ts'
import { publishFile, unfinishedPath } from '#sql/files.ts'
import { writeColumns } from '#sql/write-columns.ts'

/**
 * Writes rows as `FILE.csv` and `FILE.parquet`, which only this user can read. Columns `day` are
 * unix days, those named `…_at` unix seconds, `…_sats` whole.
 */
export function writeRows(file: string, rows: readonly Readonly<Record<string, number | string>>[]): void {
  const names = Object.keys(rows[0] ?? {})
  const cells = names.map((name) =>
    rows.map(({ [name]: cell = '' }) => {
      if (name === 'day') return isoDate(Number(cell))
      return name.endsWith('_at') ? isoTime(Number(cell) / secondsPerDay) : cell
    }),
  )
  const columns = names.map((name, i) => {
    const type = name.endsWith('_sats') ? ('BIGINT' as const) : ('DOUBLE' as const)
    const isText = typeof cells[i]?.[0] === 'string'
    if (isText) return { name, type: 'VARCHAR' as const, values: cells[i]!.map(String) }
    return { name, type, values: Float64Array.from(cells[i]!, Number) }
  })
  const lines = [names, ...rows.map((_, row) => cells.map((column) => column[row]))].map((line) => `${line.join()}\n`)
  publish(`${file}.csv`, (unfinished) => writeFileSync(unfinished, lines.join('')))
  publish(`${file}.parquet`, (unfinished) => writeColumns(unfinished, columns, false))
}

function publish(file: string, write: (unfinished: string) => void): void {
  const unfinished = unfinishedPath(file)
  write(unfinished)
  chmodSync(unfinished, 0o600)
  publishFile(unfinished, file)
}
