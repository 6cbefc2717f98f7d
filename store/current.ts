import { type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { storeDamaged } from './failures.ts'
import { type ObjectStore, readWhole } from './object-store.ts'

/** The only object that is replaced. */
export const currentKey = 'current.json'
export const generationsPrefix = 'g/'
export const objectKey = (id: string, name: string): string => `${generationsPrefix}${id}/${name}`
export const descriptionName = 'generation.json'

const idSchema = z.string().regex(/^[\w-]+$/)
const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/)
const publicationSchema = z.object({
  id: idSchema,
  /** Hash of `generation.json`, which has all tables' hashes. */
  sha256: sha256Schema,
  /** When it became current. */
  published_at: z.iso.datetime(),
  /** Beside `generation.json`. */
  files: z.array(z.string().regex(/^\w+\.parquet$/)),
})
/** Ignores fields of later versions. */
const currentSchema = z.object({
  format: z.literal(1),
  network: z.string(),
  /** Data folder that published. */
  publisher: z.string().optional(),
  /** Orders publications whatever clocks say. */
  sequence: z.int().min(1),
  /** That of the current generation. */
  sha256: sha256Schema,
  /** Base64 Ed25519 signature of `signedText`. */
  signature: z.string().nullable(),
  /** Newest publication, the current one, first. */
  generations: z.tuple([publicationSchema], publicationSchema),
})

/** Content of `current.json`. */
export type Current = z.infer<typeof currentSchema>
export type Publication = z.infer<typeof publicationSchema>

const maxBytes = 1_000_000

/** `undefined` for an empty store. Throws `store_failed`, `store_damaged`. */
export async function readCurrent(
  store: ObjectStore,
  known?: string,
): Promise<{ readonly current: Current; readonly etag: string } | 'unchanged' | undefined> {
  const found = await readWhole(store, currentKey, maxBytes, known)
  if (found === undefined || found === 'unchanged') return found
  try {
    return { current: currentSchema.parse(JSON.parse(found.bytes.toString())), etag: found.etag }
  } catch {
    throw storeDamaged(store.name, currentKey, 'is not a description of generations')
  }
}

/** Covers the content of all generations, and number and time of the last publication. */
function signedText({
  network,
  sequence,
  sha256,
  generations: [{ id, published_at }, ...older],
}: Omit<Current, 'signature' | 'format'>): Buffer {
  const parts = ['coinstrata', network, id, sha256, published_at, sequence]
  for (const one of older) parts.push(`${one.id} ${one.sha256}`)
  return Buffer.from(`${parts.join('\n')}\n`)
}

export function signCurrent(current: Omit<Current, 'signature' | 'format'>, key: KeyObject | undefined): Current {
  const signature = key ? sign(null, signedText(current), key).toString('base64') : null
  return { format: 1, signature, ...current }
}

export const isSignedWith = (current: Current, key: KeyObject): boolean =>
  current.signature !== null && verify(null, signedText(current), key, Buffer.from(current.signature, 'base64'))

export function requireSignature(store: ObjectStore, current: Current, key: KeyObject): void {
  requireSignatureOf(store, currentKey, signedText(current), current.signature, key)
}

/** Throws `store_damaged` unless the key's owner has signed the object's `text`. */
export function requireSignatureOf(
  store: ObjectStore,
  object: string,
  text: Buffer,
  signature: string | null,
  key: KeyObject,
): void {
  if (signature === null) throw storeDamaged(store.name, object, 'is not signed, and this machine takes only what is')
  if (!verify(null, text, key, Buffer.from(signature, 'base64'))) {
    throw storeDamaged(store.name, object, 'is not signed with the expected key')
  }
}
