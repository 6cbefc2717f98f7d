import { CoinstrataError } from '#base/errors.ts'

const base58 = '[1-9A-HJ-NP-Za-km-z]'
const alphanumeric = '[0-9A-Za-z]'
/** Words of seeds in any language. */
const word = String.raw`(?:[\p{L}--[\p{Script=Han}\p{Script=Hangul}]]{3,9}|\p{Script=Hangul}{1,8}|\p{Script=Han})`
/** Frequent in sentences, and in no list of seed words. */
const plainWord = String.raw`(?:the|and|for|from|with|der|das|und|von|für|les|des|pour|los|las|del)(?!\p{L})`
/** Anything that could spend coins; the network does not matter. */
const privateForms: readonly (readonly [what: string, form: RegExp])[] = [
  // Whole words: long addresses have parts that look the same.
  ['an extended private key', new RegExp(`(?<![0-9a-z])[a-z]prv${base58}{20}|[a-z]prv${base58}{100}`, 'i')],
  [
    'a private key (WIF)',
    new RegExp(`(?<!${alphanumeric})([5KL9c]${base58}{50,51}|6P${base58}{56})(?!${alphanumeric})`),
  ],
  ['a private key (mini)', new RegExp(String.raw`\b(?=\w*\d)S(${base58}{21}|${base58}{29})\b`)],
  ['a secret share (codex32)', /\bms1[02-9ac-hj-np-z]{40}/i],
  [
    'seed words',
    new RegExp(String.raw`(?<!\p{L})((?!${plainWord})${word}[\s,;"'\|\/_.–—\-]{1,40}){11}${word}(?!\p{L})`, 'iv'),
  ],
  ['seed words', new RegExp(String.raw`(?<!\d)(\d{1,2}[.\):=\s]{0,6}${word}[\s,;#]{1,20}){11}`, 'iv')],
  ['seed words in digits', /(?<!\d)(\d{48}){1,2}(?!\d)/],
  // Electrum and others: null or empty in a wallet that only watches.
  [
    'a private field',
    /"\w{0,40}(seed|prv|passphrase|wif|mnemonic|private_?key|secret|keypairs)\w{0,40}"\s*:\s*("[^"]|[{[]\s*[^\s\]}])/i,
  ],
]

/** Throws `invalid_file` for text with anything private. The message never quotes it. */
export function refusePrivate(text: string, place: string): void {
  // Accents may be characters of their own, spaces and letters have wide forms.
  const plain = text.normalize('NFKC')
  const found = privateForms.find(([, form]) => form.test(plain))
  if (found) throw privateFound(found[0], place)
}

export const privateFound = (what: string, place: string): CoinstrataError =>
  new CoinstrataError('invalid_file', `${place} has ${what}: nothing was stored`, {
    cure: 'give only what watches: descriptors with extended public keys, or addresses. If this text was typed into a shell or a file, treat what it holds as exposed',
  })
