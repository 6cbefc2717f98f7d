import { expect } from 'vitest'
import { accountActions } from '#contract/accounts.ts'
import type { Documented } from './documented.ts'
import type { TestServer } from './test-server.ts'

type Method = 'get' | 'post' | 'delete'

export interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: checked against the document as it comes
  readonly answer: any
  readonly headers: Headers
}

/** Paths without parameters come first. */
const templates = Object.values(accountActions)
  .map(({ path }) => path)
  .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
const templateOf = (target: string): string =>
  templates.find((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target)) ?? target

/** A browser: keeps its cookie, says from which page it asks, and has every answer checked against the document. */
export class Visitor {
  cookie = ''
  readonly #server: Pick<TestServer, 'url'>
  readonly #documented: Documented
  readonly #headers: Readonly<Record<string, string>>

  constructor(server: Pick<TestServer, 'url'>, documented: Documented, headers: Readonly<Record<string, string>> = {}) {
    this.#server = server
    this.#documented = documented
    this.#headers = { origin: server.url, ...headers }
  }

  async ask(method: Method, target: string, body?: unknown): Promise<Told> {
    const { cookie } = this
    const response = await fetch(this.#server.url + target, {
      method,
      headers: {
        ...this.#headers,
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    expect(this.#documented.problem(method, templateOf(target), response.status, answer)).toBeUndefined()
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      this.cookie = pair.endsWith('=') ? '' : pair
    }
    return { status: response.status, answer, headers: response.headers }
  }

  get = (target: string): Promise<Told> => this.ask('get', target)
  post = (target: string, body?: unknown): Promise<Told> => this.ask('post', target, body)
  delete = (target: string): Promise<Told> => this.ask('delete', target)
}
