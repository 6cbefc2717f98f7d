import { CoinstrataError } from '#base/errors.ts'

const base58 = '[1-9A-HJ-NP-Za-km-z]'
const alphanumeric = '[0-9A-Za-z]'
/** Anything that could spend coins; the network does not matter. */
const privateForms: readonly (readonly [what: string, form: RegExp])[] = [
  // Whole words: long addresses have parts that look the same.
  ['an extended private key', new RegExp(`(?<![0-9a-z])[a-z]prv${base58}{20}`, 'i')],
  [
    'a private key (WIF)',
    new RegExp(`(?<!${alphanumeric})([5KL9c]${base58}{50,51}|6P${base58}{56})(?!${alphanumeric})`),
  ],
  ['a secret share (codex32)', /\bms1[02-9ac-hj-np-z]{40}/i],
  ['seed words', /(?<![a-z])([a-z]{3,8}[\s,;"']{1,20}){11}[a-z]{3,8}(?![a-z])/i],
  ['seed words', /(?<!\d)(\d{1,2}[.):]?\s{0,5}[a-z]{3,8}[\s,;]{1,20}){11}/i],
  // Electrum and others: null or empty in a wallet that only watches.
  ['a private field', /"(seed|xprv|passphrase|prv|wif|mnemonic|private_?key)"\s*:\s*("[^"]|\{)/i],
]

/** Throws `invalid_file` for text with anything private. The message never quotes it. */
export function refusePrivate(text: string, place: string): void {
  const found = privateForms.find(([, form]) => form.test(text))
  if (found) throw privateFound(found[0], place)
}

export const privateFound = (what: string, place: string): CoinstrataError =>
  new CoinstrataError('invalid_file', `${place} has ${what}: nothing was stored`, {
    cure: 'give only what watches: descriptors with extended public keys, or addresses. If this text was typed into a shell or a file, treat what it holds as exposed',
  })
