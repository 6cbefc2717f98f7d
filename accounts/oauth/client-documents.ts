import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { parseJson } from '#base/parse-json.ts'
import { sendChecked, UnreachableError } from '../webhooks/checked-request.ts'
import { requireTarget, type TargetPolicy } from '../webhooks/target.ts'
import { type Client, createClient, documentSchema } from './client-metadata.ts'
import { OAuthError } from './oauth-error.ts'

const timeoutMs = 5_000
const maxBytes = 16_384
const cacheMs = 600_000

/** The client id is the URL of a document (draft-ietf-oauth-client-id-metadata-document). */
export const isDocumentAddress = (clientId: string): boolean => /^https?:\/\//i.test(clientId)

/** Metadata documents published by clients; the client id is the URL. */
export class ClientDocuments {
  readonly #policy: TargetPolicy
  readonly #cache = new LRUCache<string, Client>({ max: 100, ttl: cacheMs })

  constructor(policy: TargetPolicy) {
    this.#policy = policy
  }

  /** Throws `OAuthError` if the document cannot be fetched or used. */
  async find(address: string): Promise<Client> {
    const cached = this.#cache.get(address)
    if (cached) return cached
    const client = await this.#fetch(this.#parseAddress(address))
    this.#cache.set(address, client)
    return client
  }

  #parseAddress(address: string): URL {
    const url = URL.parse(address)
    // Two spellings of a URL would be two clients.
    if (url?.href !== address || address.length > 500 || url.pathname === '/' || url.hash !== '')
      throw refused('must be an address with a path, at most 500 characters, as a browser would write it')
    try {
      requireTarget(address, this.#policy)
    } catch (error) {
      throw error instanceof Error ? refused(error.message.replace("parameter 'url' ", '')) : error
    }
    return url
  }

  async #fetch(url: URL): Promise<Client> {
    const signal = AbortSignal.timeout(timeoutMs)
    const headers = { accept: 'application/json', 'user-agent': 'Coinstrata' }
    try {
      const { status, body } = await sendChecked({ url, method: 'GET', headers }, this.#policy, signal)
      if (status !== 200) {
        body.destroy()
        throw refused(`answered ${status}, not its document`)
      }
      return readDocument(url.href, await readText(body))
    } catch (error) {
      if (signal.aborted) throw refused(`did not answer within ${timeoutMs / 1000} seconds`)
      throw error instanceof UnreachableError ? refused(error.message) : error
    }
  }
}

function readDocument(address: string, text: string): Client {
  const document = parseJson(text)
  if (document === undefined) throw refused('has a document that is not JSON')
  const result = documentSchema.safeParse(document)
  if (!result.success) {
    const [issue] = result.error.issues
    throw refused(`has a document that cannot be used: ${issue?.path.join('.') || 'all of it'} ${issue?.message}`)
  }
  if (result.data.client_id !== address) throw refused('has a document with another client_id')
  return createClient(address, result.data)
}

async function readText(body: Readable): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size <= maxBytes) continue
    body.destroy()
    throw refused(`has a document of more than ${maxBytes} bytes`)
  }
  return Buffer.concat(parts).toString('utf8')
}

const refused = (problem: string): OAuthError => new OAuthError('invalid_client', `client_id ${problem}`)
