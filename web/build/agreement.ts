import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'rolldown'
import type { Comparison } from '../pages/metric/comparison.ts'

const name = 'agreement:all'
const file = path.join(import.meta.dirname, '..', '..', 'docs', 'agreement.md')

/** Rows of docs/agreement.md by metric id. */
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

/** The module `agreement:all`: comparisons with other vendors, by metric. */
export const agreementModule: Plugin = {
  name: 'agreement',
  resolveId: (id) => (id === name ? id : null),
  load: (id) => (id === name ? `export default ${JSON.stringify(readAgreement())}` : null),
}
