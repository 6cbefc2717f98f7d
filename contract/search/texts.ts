/**
 * Files of data/reference/search. Bundles contain their text (`web/build/search-texts.ts`); pages
 * are type-checked without Node's modules.
 */
declare const process: {
  getBuiltinModule(name: 'node:fs'): { readFileSync(file: URL, encoding: 'utf8'): string }
}

const read = (name: string): string =>
  process
    .getBuiltinModule('node:fs')
    .readFileSync(new URL(`../../data/reference/search/${name}.tsv`, import.meta.url), 'utf8')

export const questionsText = read('questions')
export const synonymsText = read('synonyms')
export const notTrackedText = read('not-tracked')
export const wordGroupsText = read('word-groups')
export const translationsText = read('translations')
