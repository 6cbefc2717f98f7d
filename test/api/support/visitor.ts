import { expect } from 'vitest'
import { z } from 'zod'
import { accountActions } from '#contract/accounts/actions.ts'
import type { Documented } from './documented.ts'
import type { TestServer } from './test-server.ts'

type Action = (typeof accountActions)[keyof typeof accountActions]
type Method = Action['method']

/** A path with anything in place of its parameters. */
type Filled<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path
/** The actions that a request may be for. */
type ActionAt<M extends Method, Target extends string, A extends Action = Action> = A extends { readonly method: M }
  ? Target extends Filled<A['path']>
    ? A
    : never
  : never

/** What came back; of rows and failure the one that did not come is empty. */
export interface Told<Row = unknown> {
  readonly status: number
  readonly answer: z.output<ReturnType<typeof answerSchema<Row>>>
  readonly headers: Headers
}

/** The rows themselves are checked against the document. */
const answerSchema = <Row>() =>
  z.looseObject({
    data: z.array(z.custom<Row>()).default([]),
    error: z
      .looseObject({ code: z.string(), details: z.looseObject({ parameter: z.string().optional() }).optional() })
      .optional(),
    message: z.string().optional(),
    retry_after: z.number().optional(),
  })

/** Paths without parameters come first. */
const templates = Object.values(accountActions)
  .map(({ path }) => path)
  .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
const templateOf = (target: string): string =>
  templates.find((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target)) ?? target

/**
 * A browser: keeps its cookie, says from which page it asks, and has every answer checked against
 * the document.
 */
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

  async ask<M extends Method, const Target extends string>(
    method: M,
    target: Target,
    body?: unknown,
  ): Promise<Told<z.output<ActionAt<M, Target>['row']>>> {
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
    return {
      status: response.status,
      answer: answerSchema<z.output<ActionAt<M, Target>['row']>>().parse(answer),
      headers: response.headers,
    }
  }

  get = <const Target extends string>(target: Target) => this.ask('get', target)
  post = <const Target extends string>(target: Target, body?: unknown) => this.ask('post', target, body)
  delete = <const Target extends string>(target: Target) => this.ask('delete', target)
}
