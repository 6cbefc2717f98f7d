import { translationsText } from './texts.ts'

/** Many leave out accents. */
const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').normalize('NFC').toLowerCase()

/** English by words of other languages, the longest first. */
const translations: ReadonlyMap<string, string> = new Map(
  plain(translationsText)
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
  anyTranslated ??= makePattern()
  const english = plain(query).replaceAll(anyTranslated, (word) => translations.get(word)!)
  return english.replaceAll(/ +/g, ' ')
}

function makePattern(): RegExp {
  const { joined = [], separate = [] } = Object.groupBy(translations.keys(), (word) =>
    isJoined.test(word) ? 'joined' : 'separate',
  )
  // The ends of words are looked for once, not in each: the first search took 0.2 seconds longer.
  return new RegExp(`(?<!\\p{L})(?:${separate.join('|')})(?!\\p{L})|${joined.join('|')}`, 'gu')
}
