import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { todayLink } from './generation.ts'

/**
 * File with a day's rows of table `after_blocks`: of every block, or of the last one of each hour.
 */
export interface KeptRows {
  readonly detail: 'blocks' | 'hours'
  readonly date: string
  readonly rows: number
  /** Time of writing, in ms since 1970. */
  readonly at: number
  readonly sha256: string
}

/** Folder of kept rows in the folder of published generations. */
export const keptFolder = (published: string): string => path.dirname(todayLink(published))

export const keptFile = ({ detail, date, rows, at, sha256 }: KeptRows): string =>
  `after-${detail}-${date}-${rows}-${at}-${sha256}.parquet`

const pattern = /^after-(blocks|hours)-(\d{4}-\d\d-\d\d)-(\d+)-(\d+)-([0-9a-f]{64})\.parquet$/

/** Newest file of each day, by date, and the files that these replaced. */
export function listKeptRows(published: string): {
  readonly days: readonly KeptRows[]
  readonly replaced: readonly KeptRows[]
} {
  const folder = keptFolder(published)
  const all = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name): KeptRows[] => {
    const [, detail, date, rows, at, sha256] = pattern.exec(name) ?? []
    if (date === undefined || sha256 === undefined) return []
    return [{ detail: detail === 'hours' ? detail : 'blocks', date, rows: Number(rows), at: Number(at), sha256 }]
  })
  const newest = new Map<string, KeptRows>()
  for (const one of all.toSorted((a, b) => a.date.localeCompare(b.date) || a.at - b.at)) newest.set(one.date, one)
  const days = [...newest.values()]
  return { days, replaced: all.filter((one) => newest.get(one.date) !== one) }
}
