import { translationsText } from './texts.ts'

/** English by words of other languages, the longest first. */
const translations: ReadonlyMap<string, string> = new Map(
  translationsText
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .flatMap(([english = '', words = '']) => words.split(', ').map((word) => [word, ` ${english} `] as const))
    .sort(([one], [other]) => other.length - one.length),
)
// Chinese and Japanese write no spaces between words.
const isJoined = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
let anyTranslated: RegExp | undefined

/** Puts English in place of words that other languages have for what is often asked. */
export function translate(query: string): string {
  anyTranslated ??= new RegExp(
    [...translations.keys()].map((word) => (isJoined.test(word) ? word : `(?<!\\p{L})${word}(?!\\p{L})`)).join('|'),
    'gu',
  )
  return query
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(anyTranslated, (word) => translations.get(word)!)
}
