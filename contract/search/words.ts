const ignored = new Set(
  'a an and are at by de do for how in is it la le les metric of on or s that the to what which with'.split(' '),
)

/** British spellings and foreign words as the catalogue writes them. */
const spellings: Readonly<Record<string, string>> = {
  realised: 'realized',
  unrealised: 'unrealized',
  annualised: 'annualized',
  capitalisation: 'capitalization',
  realise: 'realized',
  prix: 'price',
  precio: 'price',
  preis: 'price',
  realizado: 'realized',
}

/** Words without accents, case and plurals, so that `Réalisé` and `fees` find `realized` and `fee`; articles and the like are dropped. */
export function splitWords(text: string): string[] {
  const words = fold(text).match(/[a-z0-9]+/g) ?? []
  return words.filter((word) => !ignored.has(word)).map((word) => spellings[word] ?? singular(word))
}

/** Lower case without accents, with durations as in ids: `5y` for `5 years`. */
const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/(\d+)[ -]?(years?|yrs?|months?|weeks?|days?)\b/g, (_, count: string, unit: string) => count + unit[0])

function singular(word: string): string {
  if (word.length <= 3 || word.endsWith('ss')) return word
  if (word.endsWith('ies')) return `${word.slice(0, -'ies'.length)}y`
  return word.replace(/(?<=ss|x|sh|ch)es$|s$/, '')
}

export const containsAll = (words: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((word) => words.includes(word))

const fillers: ReadonlySet<string> = new Set(
  (
    'about am any be been bitcoin btc can could current currently did does ever far from give good going had happen happened has have i ' +
    'indicator it know last latest like look many market me moment month more most much my next now our people please really recent ' +
    'recently right see should show signal so tell than their them there these they thing this today too us use very was we week were ' +
    'when where who why would year yesterday you your'
  )
    .split(' ')
    .map(singular),
)

/** Fillers say nothing about the subject of a question; every series has years. */
export const isFiller = (word: string): boolean => fillers.has(word) || /^20\d\d$/.test(word)
