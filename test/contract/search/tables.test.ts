import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { notTracked, questions, synonyms, wordGroups } from '#contract/search/tables.ts'
import { splitWords } from '#contract/search/words.ts'
import { catalogue } from '#test/mcp/support/mainnet-catalogue.ts'

const folder = new URL('../../../data/reference/search/', import.meta.url)
/** Columns of each file; those with a `?` may be empty. */
const columns: Readonly<Record<string, readonly string[]>> = {
  'not-tracked.tsv': ['what', 'why', 'phrases', 'unless?', 'instead?'],
  'questions.tsv': ['metric', 'questions'],
  'synonyms.tsv': ['phrases', 'metrics'],
  'translations.tsv': ['english', 'words'],
  'word-groups.tsv': ['words'],
}

test('the files have the declared columns, and no cell is empty, padded or cut', () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(columns))
  for (const [name, declared] of Object.entries(columns)) {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n')
    expect(lines.pop(), `${name} ends with a line break`).toBe('')
    expect(lines.shift(), name).toBe(declared.map((column) => column.replace('?', '')).join('\t'))
    const wrong = lines.filter((line) => {
      const cells = line.split('\t')
      const isWrong = (column: string, i: number): boolean =>
        !(cells[i] ?? '').split(/ \| |, /).every((part) => /^\S(?:.*\S)?$/.test(part)) &&
        !(column.endsWith('?') && (cells[i] ?? '') === '')
      return cells.length > declared.length || declared.some(isWrong)
    })
    expect(wrong, name).toEqual([])
  }
})

test('no metric, phrase or group of words is in a file twice', () => {
  const rows = (name: string): string[] => readFileSync(new URL(name, folder), 'utf8').split('\n')
  const ids = rows('questions.tsv').map((line) => line.split('\t')[0])
  for (const all of [ids, rows('word-groups.tsv'), rows('not-tracked.tsv'), rows('synonyms.tsv')])
    expect(all.filter((one, i) => all.indexOf(one) !== i)).toEqual([])
  expect([questions.size, synonyms.length, notTracked.length, wordGroups.length].every((size) => size > 25)).toBe(true)
})

test('synonyms and replacements of what is not tracked are metrics', () => {
  const meant = [...synonyms.flatMap(({ ids }) => ids), ...notTracked.flatMap(({ instead }) => instead)]
  expect(meant.filter((id) => catalogue.find(id)?.id !== id)).toEqual([])
})

test('every question belongs to a metric, or to the metrics of funds, companies and the like', () => {
  const ids = catalogue.metrics.map(({ id }) => id)
  const unknown = [...questions.keys()].filter((id) => !ids.some((one) => one === id || one.startsWith(`${id}_`)))
  expect(unknown).toEqual([])
  expect([...questions.values()].flat().filter((text) => splitWords(text).length === 0)).toEqual([])
})

test('no two metrics have a question in the same words', () => {
  const asked = [...questions].flatMap(([id, texts]) =>
    texts.map((text) => ({ id, words: splitWords(text).join(' ') })),
  )
  const first = new Map<string, string>()
  for (const { id, words } of asked) if (!first.has(words)) first.set(words, id)
  const shared = asked.filter(({ id, words }) => first.get(words) !== id).map(({ words }) => words)
  // Both answers are right: the days that were destroyed, and the coins.
  expect(shared).toEqual([splitWords('old coins moving').join(' ')])
})
