import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { parseJson } from '#base/parse-json.ts'
import { decodeListed } from '#compute/labels/label-files.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { type KeyKind, readExtendedKey } from './extended-keys.ts'
import { refusePrivate } from './private-material.ts'
import type { WalletLabel } from './wallet-folder.ts'

/** A descriptor that no node has checked yet. */
export interface SourceDescriptor {
  readonly text: string
  /** For messages, which never quote the text. */
  readonly place: string
  /** Scripts that the wallet has derived, if it says so. */
  readonly used: number
}

export interface Sources {
  readonly descriptors: SourceDescriptor[]
  readonly labels: WalletLabel[]
}

const maxTextLength = 8_000_000
const maxDescriptors = 20_000
/** More are searched if these are used. */
const maxUsed = 100_000
const cure =
  'give output descriptors, extended public keys, addresses, or the export of Sparrow, Bitcoin Core (listdescriptors), Electrum or Specter; docs/wallets.md has an example of each'

const invalid = (place: string, problem: string): CoinstrataError =>
  new CoinstrataError('invalid_file', `${place} ${problem}: nothing was stored`, { cure })

/**
 * Reads what a wallet is made of. Throws `invalid_file` with the place of the first problem; for
 * anything private, before anything else is read.
 */
export function parseSources(
  texts: readonly { readonly name: string; readonly text: string }[],
  network: NetworkName,
): Sources {
  const sources: Sources = { descriptors: [], labels: [] }
  for (const { name, text } of texts) {
    if (text.length > maxTextLength) throw invalid(name, `has more than ${maxTextLength / 1e6} million characters`)
    refusePrivate(text, name)
  }
  for (const { name, text } of texts) readText(text, name, network, sources)
  if (sources.descriptors.length <= maxDescriptors) return sources
  throw invalid(texts[0]?.name ?? '', `has more than ${maxDescriptors} descriptors and addresses`)
}

const range = z.union([z.int(), z.tuple([z.int(), z.int()]).transform(([, end]) => end)]).default(-1)
const coreEntries = z.array(z.object({ desc: z.string(), range })).min(1)
const core = z.union([coreEntries, z.object({ descriptors: coreEntries }).transform(({ descriptors }) => descriptors)])
const specter = z.object({ descriptor: z.string() })
const electrum = z.object({ wallet_type: z.literal('standard'), keystore: z.object({ xpub: z.string() }) })
const bip329 = z.object({
  type: z.string(),
  ref: z.string().max(200),
  label: z.string().max(255).optional(),
  rate: z.object({ USD: z.number().positive().max(1e9) }).optional(),
})

function readText(text: string, name: string, network: NetworkName, sources: Sources): void {
  const add = (descriptor: string, place: string, used = 0): void => {
    // JSON may have spelled it in escapes.
    refusePrivate(descriptor, place)
    const plain = descriptor.replaceAll(/[a-z]pub[1-9a-z]{100,}/gi, (key) => readKey(key, network, place).key)
    // The checksum of a changed text is of no use.
    sources.descriptors.push({
      text: plain === descriptor ? plain : plain.replace(/#.*/, ''),
      place,
      used: Math.min(used, maxUsed),
    })
  }
  const content = parseJson(text)
  const [ofCore, ofSpecter, ofElectrum] = [core, specter, electrum].map((schema) => schema.safeParse(content).success)
  if (ofCore) {
    for (const [i, entry] of core.parse(content).entries())
      add(entry.desc, `${name}, descriptor ${i + 1}`, entry.range + 1)
  } else if (ofSpecter) {
    // It exports the descriptor of receiving addresses only.
    const plain = specter.parse(content).descriptor
    add(plain, name)
    if (plain.includes('/0/*')) add(plain.replace(/#.*/, '').replaceAll('/0/*', '/1/*'), name)
  } else if (ofElectrum) addKey(electrum.parse(content).keystore.xpub, '', name)
  else if (typeof content === 'object' && !bip329.safeParse(content).success)
    throw invalid(name, 'is JSON of an unknown form')
  else for (const [i, line] of text.split(/\r?\n/).entries()) readLine(line.trim(), `${name}, line ${i + 1}`)

  function readLine(line: string, place: string): void {
    const { data: label } = bip329.safeParse(line.startsWith('{') ? parseJson(line) : undefined)
    const [, origin = '', key] = /^(\[[\da-f]{8}[\dh'/]*\])?([a-zA-Z]pub\w+)$/.exec(line) ?? []
    if (line === '' || line.startsWith('#')) return
    if (label) refusePrivate(`${label.ref} ${label.label}`, place)
    if (label) addLabel(label, sources.labels)
    else if (key !== undefined) addKey(key, origin, place)
    else if (/^[a-z_]+\(/.test(line)) add(line, place)
    else if (!decodeListed(line, network)) throw invalid(place, `is no descriptor, public key or address of ${network}`)
    // A public key has an address of each kind.
    else add(/^0[2-7][\da-f]{64}/i.test(line) ? `combo(${line})` : `addr(${line})`, place)
  }

  function addKey(text: string, origin: string, place: string): void {
    const { key, kind } = readKey(text, network, place)
    if (kind === 'multisig')
      throw invalid(place, 'is one key of several: give the descriptor of the wallet, with all keys')
    for (const script of scriptsByKind[kind]) add(script.replace('K', `${origin}${key}/<0;1>/*`), place)
  }
}

/** Scripts of a single key: the text may not say how it is used. */
const scriptsByKind: Readonly<Record<Exclude<KeyKind, 'multisig'>, readonly string[]>> = {
  any: ['pkh(K)', 'sh(wpkh(K))', 'wpkh(K)', 'tr(K)'],
  'sh(wpkh)': ['sh(wpkh(K))'],
  wpkh: ['wpkh(K)'],
}

function readKey(text: string, network: NetworkName, place: string) {
  const read = readExtendedKey(text)
  if (!read) throw invalid(place, 'has an extended key with a wrong checksum')
  if (read.isMainnet === (network === 'mainnet')) return read
  throw invalid(place, `has an extended key of another network than ${network}`)
}

function addLabel({ type, ref, label, rate }: z.infer<typeof bip329>, labels: WalletLabel[]): void {
  // Spreadsheets take some first letters for formulas.
  const plain = label?.replaceAll(/[",\p{C}]/gu, ' ').replace(/^[\s=+@-]+/, '')
  if (type === 'tx') labels.push({ ref, label: plain ?? '', ...(rate && { price: rate.USD }) })
}
