import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'

/** What came back: the fields of the answer, if it is one. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = z.record(z.string(), z.unknown()).parse(text === '' ? {} : JSON.parse(text))
  return { status: response.status, headers: response.headers, body }
}

export const tokensSchema = z.strictObject({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.literal(3600),
  refresh_token: z.string().optional(),
  scope: z.string(),
})
export type AppTokens = z.infer<typeof tokensSchema>

export const usualRedirect = 'http://127.0.0.1:7777/callback'

/** An app that asks for access as a program would, without a browser. */
export class OAuthApp {
  /** Of the service, with its path. */
  readonly url: string
  readonly verifier = randomBytes(32).toString('base64url')
  id = ''

  constructor(url: string) {
    this.url = url
  }

  async register(changes: object = {}): Promise<Answer> {
    const answer = await answerOf(
      await fetch(`${this.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'Trial',
          redirect_uris: [usualRedirect],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'none',
          ...changes,
        }),
      }),
    )
    this.id = String(answer.body.client_id)
    return answer
  }

  /** What the app sends the browser with. */
  query(changes: Readonly<Record<string, string | undefined>> = {}): string {
    const all = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: usualRedirect,
      code_challenge: hash('sha256', this.verifier, 'base64url'),
      code_challenge_method: 'S256',
      state: 'a state',
      resource: `${this.url}/mcp/account`,
      ...changes,
    }
    const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    return new URLSearchParams(given).toString()
  }

  /** What a page of the service asks with the cookie of its user. */
  async ask(cookie: string, action: 'lookup' | 'allow', query = this.query()): Promise<Answer> {
    const response = await fetch(`${this.url}/v1/connections${action === 'lookup' ? '/lookup' : ''}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(this.url).origin, cookie },
      body: JSON.stringify({ query }),
    })
    return answerOf(response)
  }

  /** The code of a user who allows it. */
  async code(cookie: string, changes: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    const { body } = await this.ask(cookie, 'allow', this.query(changes))
    const [{ redirect_url }] = z.tuple([z.object({ redirect_url: z.string() })]).parse(body.data)
    return new URL(redirect_url).searchParams.get('code') ?? ''
  }

  async form(path: 'token' | 'revoke', fields: Readonly<Record<string, string | undefined>>): Promise<Answer> {
    const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    return answerOf(await fetch(`${this.url}/oauth/${path}`, { method: 'POST', body: new URLSearchParams(given) }))
  }

  redeem(code: string, changes: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    return this.form('token', {
      grant_type: 'authorization_code',
      code,
      code_verifier: this.verifier,
      client_id: this.id,
      redirect_uri: usualRedirect,
      ...changes,
    })
  }

  refresh(token: string | undefined, changes: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    return this.form('token', { grant_type: 'refresh_token', refresh_token: token, client_id: this.id, ...changes })
  }

  /** All of it, for who has that cookie. */
  async connect(cookie: string, changes: Readonly<Record<string, string | undefined>> = {}): Promise<AppTokens> {
    if (this.id === '') await this.register()
    const { body } = await this.redeem(await this.code(cookie, changes))
    return tokensSchema.parse(body)
  }
}
