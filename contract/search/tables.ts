import { notTrackedText, questionsText, synonymsText, wordGroupsText } from './texts.ts'

/** Rows of tab-separated text without the header. */
const parseRows = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))

const splitCell = (cell: string, separator: string): string[] => (cell === '' ? [] : cell.split(separator))

/** Example questions by metric; searches match shared words. */
export const questions: ReadonlyMap<string, readonly string[]> = new Map(
  parseRows(questionsText).map(([id = '', texts = '']) => [id, texts.split(' | ')]),
)

/**
 * Everyday phrases with the metrics they mean, best first. A search with all words of a phrase, in
 * any order and form, ranks these metrics first, unless the words belong to a longer phrase of the
 * search.
 */
export const synonyms = parseRows(synonymsText).map(([phrases = '', ids = '']) => ({
  phrases: phrases.split(', '),
  ids: ids.split(' '),
}))

/**
 * Common searches for data that Coinstrata lacks; the first match wins. A search matches with all
 * words of one of `phrases` and none of `unless`. `instead` are the closest metrics; if there are
 * none, the other words of the search find some.
 */
export const notTracked = parseRows(notTrackedText).map(
  ([what = '', why = '', phrases = '', unless = '', instead = '']) => ({
    what,
    why,
    phrases: phrases.split(', '),
    unless: splitCell(unless, ' '),
    instead: splitCell(instead, ' '),
  }),
)

/** Words alike in questions. A word may be in several groups. */
export const wordGroups = parseRows(wordGroupsText).map(([words = '']) => words)
