import { createPublicKey, hash, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { readBytes } from '#base/bounded-fetch.ts'
import { parseDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { parseJson } from '#base/parse-json.ts'
import { formatCount } from '#base/quantities.ts'
import { encodePublicKey, fingerprint, readPublicKey } from '#base/signing-keys.ts'
import { endpoints } from '#contract/endpoints.ts'
import { paths } from '#contract/paths.ts'
import { type Pricing, pricings } from '#contract/pricing.ts'
import {
  type DayHashes,
  dayHashesSchema,
  formatHashList,
  formatSigned,
  type Proof,
  proofFormat,
  proofSchema,
} from '#contract/proof.ts'
import { type PublishedPlace, withGenerations } from './published.ts'

/** Equal for every operator of a chain. */
const chainKinds = ['blocks', 'flows', 'days'] as const
/** Depend on the operator's price sources. */
const marketKinds = ['prices', 'metrics'] as const
const kinds = [...chainKinds, ...marketKinds]
type Kind = (typeof kinds)[number]

const generationSchema = z.string().regex(/^[\w-]{1,64}$/)

/** Page of /v1/proof; ignores fields of later versions. */
const pageSchema = z.object({
  data: z.array(dayHashesSchema).max(10_000),
  meta: z.object({
    generation: generationSchema,
    proof: proofSchema,
    next_cursor: z.string().max(100).optional(),
  }),
})

/** Setting PRICING in an answer of /health. */
const pricedSchema = z.object({ published: z.object({ pricing: z.object({ setting: z.enum(pricings) }) }) })

/** Hashes of a generation, one a day without gaps, oldest first. */
interface History {
  readonly place: string
  readonly generation: string
  readonly proof: Proof
  readonly days: readonly DayHashes[]
  /** Setting PRICING; null without prices or if the service does not say. */
  readonly pricing: Pricing | null
}

interface Difference {
  readonly date: string
  readonly ours: string | null
  readonly theirs: string | null
}

interface KindComparison {
  readonly kind: Kind
  readonly equal: number
  readonly first_difference: Difference | null
}

type Side = Pick<History, 'place' | 'generation' | 'pricing'> & {
  readonly first_date: string
  readonly last_date: string
}

export interface Comparison {
  readonly network: string
  readonly ours: Side
  readonly theirs: Side
  readonly common: { readonly days: number; readonly first_date: string; readonly last_date: string }
  readonly kinds: readonly KindComparison[]
  /** Fingerprint of the key that signed the other list; null if unsigned. */
  readonly signed_by: string | null
}

/**
 * Compares the hashes of common days with those of another operator. `other` is the address of a
 * service or a data folder; `trust` the fingerprint or file of the public key that must have signed
 * its list.
 */
export async function compareHistory(place: PublishedPlace, other: string, trust?: string): Promise<Comparison> {
  const trusted =
    trust === undefined || isFingerprint(trust) ? trust : fingerprint(encodePublicKey(readPublicKey(trust)))
  // Theirs first: it fails more often, and sooner.
  const theirs = /^https?:\/\//.test(other) ? await readService(other) : await readFolder({ ...place, DATA_DIR: other })
  const signedBy = requireGenuine(theirs)
  if (trusted !== undefined && signedBy !== trusted) {
    throw failed(theirs.place, signedBy ? `is signed with the key ${signedBy}, not with ${trusted}` : 'is not signed', {
      cure: 'ask its operator for the key that signs (PUBLISH_KEY_FILE), or compare without --trust',
    })
  }
  const ours = await readFolder(place)
  if (theirs.proof.network !== ours.proof.network) {
    throw failed(
      theirs.place,
      `has the history of ${theirs.proof.network}, ${ours.place} that of ${ours.proof.network}`,
      {
        cure: `name a service of ${ours.proof.network}, or your data folder of ${theirs.proof.network} with --data-dir`,
      },
    )
  }
  return { network: ours.proof.network, signed_by: signedBy, ...compareDays(ours, theirs) }
}

const isFingerprint = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

function compareDays(ours: History, theirs: History): Pick<Comparison, 'ours' | 'theirs' | 'common' | 'kinds'> {
  const theirDays = new Map(theirs.days.map((day) => [day.date, day]))
  const pairs = ours.days.flatMap((our) => {
    const their = theirDays.get(our.date)
    return their ? [{ date: our.date, our, their }] : []
  })
  const [first, last] = [pairs[0], pairs.at(-1)]
  if (!first || !last) throw failed(theirs.place, `has no day in common with ${ours.place}`)
  const describeSide = ({ place, generation, days, pricing }: History): Side => ({
    place,
    generation,
    pricing,
    first_date: days[0]!.date,
    last_date: days.at(-1)!.date,
  })
  return {
    ours: describeSide(ours),
    theirs: describeSide(theirs),
    common: { days: pairs.length, first_date: first.date, last_date: last.date },
    kinds: kinds.map((kind) => {
      const differing = pairs.filter(({ our, their }) => our[kind] !== their[kind])
      const [worst] = differing
      return {
        kind,
        equal: pairs.length - differing.length,
        first_difference: worst ? { date: worst.date, ours: worst.our[kind], theirs: worst.their[kind] } : null,
      }
    }),
  }
}

/** True if the chain's hashes are equal on all common days. */
export const isSameChain = ({ common, kinds }: Comparison): boolean =>
  kinds.every(({ kind, equal }) => equal === common.days || !isOfChain(kind))

const isOfChain = (kind: Kind): boolean => chainKinds.some((one) => one === kind)

async function readFolder(place: PublishedPlace): Promise<History> {
  const { DATA_DIR: folder } = place
  if (!existsSync(folder)) throw failed(folder, 'is neither a folder nor an address that begins with https://')
  return withGenerations(place, (generations) =>
    generations.read(async (published) => {
      const { id, proof, prices } = published.generation
      const rows = await published.database.use(async (connection) => {
        const sql = `SELECT * REPLACE (date::VARCHAR AS date) FROM ${published.table('day_hashes')} ORDER BY date`
        return (await connection.runAndReadAll(sql)).getRowObjectsJson()
      })
      const pricing = prices?.pricing.setting ?? null
      return { place: folder, generation: id, proof, pricing, days: dayHashesSchema.array().parse(rows) }
    }),
  )
}

const maxPages = 10
/** A page of 10,000 days takes 4 MB. */
const maxPageBytes = 8_000_000
const pageTimeoutMs = 60_000

async function readService(address: string): Promise<History> {
  const days: DayHashes[] = []
  let next: Record<string, string> = {}
  for (let page = 0; page < maxPages; page++) {
    const query = new URLSearchParams({ start_date: '2009-01-03', order: 'asc', ...next })
    const { data, meta } = await readPage(address, `${address.replace(/\/+$/, '')}${endpoints.proof.path}?${query}`)
    const { generation, proof, next_cursor: cursor } = meta
    days.push(...data)
    if (cursor === undefined) return { place: address, generation, proof, days, pricing: await readPricing(address) }
    next = { cursor, generation }
  }
  throw failed(address, `answers more than ${maxPages} pages of hashes`)
}

/** Null also if the address has only the API. */
async function readPricing(address: string): Promise<Pricing | null> {
  const url = address.replace(/\/+$/, '') + paths.health
  const text = await fetch(url, { signal: AbortSignal.timeout(pageTimeoutMs) }).then(readText, () => '')
  return pricedSchema.safeParse(parseJson(text)).data?.published.pricing.setting ?? null
}

async function readPage(address: string, url: string): Promise<z.infer<typeof pageSchema>> {
  let answer: unknown
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(pageTimeoutMs) })
    const text = await readText(response)
    if (response.status !== 200) throw new Error(`it answered ${response.status}`)
    answer = JSON.parse(text)
  } catch (cause) {
    // The TypeErrors of fetch have their reason as cause.
    const reason = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : cause
    const message = reason instanceof SyntaxError ? 'its answer is no JSON' : toMessage(reason)
    throw failed(address, `cannot be compared with: ${message} (GET ${url})`, { cause })
  }
  const parsed = pageSchema.safeParse(answer)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw failed(
    address,
    `answers ${endpoints.proof.path} in another form than documented: ${issue?.path.join('.')}: ${issue?.message}`,
  )
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const readText = async (response: Response): Promise<string> => (await readBytes(response, maxPageBytes)).toString()

/** Returns the fingerprint of the signing key, null if unsigned. */
function requireGenuine({ place, proof, days }: History): string | null {
  if (proof.format !== proofFormat) {
    throw failed(place, `hashes days in format ${proof.format}, this version in format ${proofFormat}`, {
      cure: 'update the older of the two versions',
    })
  }
  for (const [i, { date }] of days.entries()) {
    const before = days[i - 1]?.date
    if (before !== undefined && parseDay(date) !== parseDay(before) + 1)
      throw failed(place, `lists ${date} after ${before}`)
  }
  if (hash('sha256', formatHashList(days)) !== proof.sha256)
    throw failed(place, 'lists other hashes than its proof says')
  if (!proof.signature) return null
  const key = Buffer.from(proof.signature.public_key, 'base64')
  if (!isSigned(proof, key, proof.signature.value)) throw failed(place, 'has a signature that is not of its list')
  return fingerprint(key)
}

function isSigned(proof: Proof, encodedKey: Buffer, signature: string): boolean {
  try {
    const key = createPublicKey({ key: encodedKey, format: 'der', type: 'spki' })
    return (
      key.asymmetricKeyType === 'ed25519' &&
      verify(null, Buffer.from(formatSigned(proof)), key, Buffer.from(signature, 'base64'))
    )
  } catch {
    // Bytes that are no key.
    return false
  }
}

const failed = (place: string, what: string, options: { cure?: string; cause?: unknown } = {}): CoinstrataError =>
  new CoinstrataError('comparison_failed', `${place} ${what}`, options)

export function describeComparison({ network, ours, theirs, common, kinds, signed_by }: Comparison): string {
  const describeSide = ({ place, generation, first_date, last_date }: Side): string =>
    `${place} (generation ${generation}, ${first_date} to ${last_date})`
  const lines = [
    `ours:    ${describeSide(ours)}`,
    `theirs:  ${describeSide(theirs)}, ${signed_by === null ? 'not signed' : `signed with the key ${signed_by}`}`,
    `common:  ${formatCount(common.days)} days of ${network}, ${common.first_date} to ${common.last_date}`,
    ...kinds.map(({ kind, equal, first_difference: first }) => {
      const sources = isOfChain(kind) ? '' : ' (operators may use other sources)'
      const difference =
        first &&
        `; first different: ${first.date}${sources}, ours ${shorten(first.ours)}, theirs ${shorten(first.theirs)}`
      return `${`${kind}:`.padEnd(8)} ${formatCount(equal)} of ${formatCount(common.days)} days equal${difference ?? ''}`
    }),
    ...(ours.pricing && theirs.pricing && ours.pricing !== theirs.pricing
      ? [`PRICING differs, and with it metrics: ours ${ours.pricing}, theirs ${theirs.pricing}`]
      : []),
    ...kinds
      .filter(({ kind, first_difference }) => first_difference && isOfChain(kind))
      .slice(0, 1)
      .map(
        ({ kind, first_difference }) =>
          `To find the cause, compare both results of: SELECT * FROM '${kind}.parquet' WHERE date = '${first_difference?.date}'`,
      ),
  ]
  return `${lines.join('\n')}\n`
}

const shorten = (hash: string | null): string => (hash === null ? 'none' : `${hash.slice(0, 12)}…`)
