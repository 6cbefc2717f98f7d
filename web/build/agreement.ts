import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Comparison } from '../pages/metric/comparison.ts'

const file = path.join(import.meta.dirname, '..', '..', 'docs', 'agreement.md')

/** Rows of docs/agreement.md, by metric id. */
export function readAgreement(markdown = readFileSync(file, 'utf8')): Record<string, Comparison[]> {
  const all: Record<string, Comparison[]> = {}
  for (const [, metric = '', cells = ''] of markdown.matchAll(/^\| \[`(\w+)`\]\([^)]*\) \|(.*)\|$/gm)) {
    const [vendor = '', days = '', from = '', to = '', median = '', greatest = '', why = ''] = cells
      .split('|')
      .map((cell) => cell.trim())
    all[metric] = [...(all[metric] ?? []), { vendor, days: Number(days), from, to, median, greatest, why }]
  }
  return all
}
