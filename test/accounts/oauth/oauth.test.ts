import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setTier } from '#accounts/commands.ts'
import { apiSettings } from '#api/settings.ts'
import { type AppTokens, OAuthApp, tokensSchema, usualRedirect } from '../../api/support/oauth-app.ts'
import { publishSmallGeneration } from '../../api/support/small-generation.ts'
import { bearer, cheapPasswords, signIn, temporaryDataDir, withoutLimits } from '../../api/support/test-server.ts'
import { serveTools, type ToolService } from '../../mcp/support/tool-service.ts'

const data = temporaryDataDir()
let service: ToolService
/** Of an account of tier pro, and of one of tier free. */
let pro = ''
let free = ''

const serve = (settings: Readonly<Record<string, string>> = {}, publicUrl?: string) =>
  serveTools(
    data.dataDir,
    { ...withoutLimits, ...settings },
    { publicUrl },
    { passwordCost: cheapPasswords, PUBLIC_URL: publicUrl },
  )

beforeAll(async () => {
  await publishSmallGeneration(data.dataDir)
  service = await serve()
  pro = await signIn(service, data.dataDir, 'pro@example.org', 'pro')
  free = await signIn(service, data.dataDir, 'free@example.org', 'free')
})
afterAll(async () => {
  await service?.close()
  data.remove()
})

/** Asks a tool at a path with a token, or without one. */
async function callTool(token: string | undefined, at = '/mcp/account', metrics = ['secret_price'], url = service.url) {
  const params = { name: 'get_series', arguments: { metrics, days: 400 } }
  const response = await fetch(url + at, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && bearer(token)),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return { status: response.status, challenge: response.headers.get('www-authenticate'), text: await response.text() }
}
const statusWith = async (token: string | undefined, at?: string): Promise<number> => (await callTool(token, at)).status
const app = () => new OAuthApp(service.url)
const json = async (address: string): Promise<unknown> => (await fetch(address)).json()

/** Changes what is stored, as time or another version would. */
function alter(statement: string): void {
  const database = new DatabaseSync(path.join(data.dataDir, 'state', 'accounts.db'), { timeout: 5_000 })
  database.exec(statement)
  database.close()
}

describe('how a client finds its way', () => {
  test('the path for accounts asks who calls, and says where to get a token; the other is open', async () => {
    const { status, challenge } = await callTool(undefined)
    const place = `resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp/account"`
    expect([status, challenge]).toEqual([401, `Bearer ${place}`])
    expect((await callTool(undefined, '/mcp', ['price'])).status).toBe(200)
    expect(await json(`${service.url}/.well-known/oauth-protected-resource/mcp/account`)).toMatchObject({
      resource: `${service.url}/mcp/account`,
      authorization_servers: [service.url],
      scopes_supported: ['free', 'pro', 'enterprise'],
    })
    expect(await json(`${service.url}/.well-known/oauth-authorization-server`)).toMatchObject({
      issuer: service.url,
      authorization_endpoint: `${service.url}/connect`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
    })
  })

  test('a key or token that does not hold is told so, at either path, and never taken for no key', async () => {
    for (const at of ['/mcp', '/mcp/account']) {
      for (const token of ['cst_made-up', 'cs_000000000000_0', 'anything']) {
        const { status, challenge } = await callTool(token, at, ['price'])
        expect([at, token, status]).toEqual([at, token, 401])
        expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="/)
        expect(challenge).toContain(`/oauth-protected-resource${at}"`)
      }
    }
    const basic = await fetch(`${service.url}/mcp`, { method: 'POST', headers: { authorization: 'Basic YTpi' } })
    expect([basic.status, basic.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ])
  })

  test('a public address and a path are in all of it, and documents lie before the path, too', async () => {
    const publicUrl = 'https://chain.example/data'
    const own = await serve({ BASE_PATH: '/data' }, publicUrl)
    try {
      const { challenge } = await callTool(undefined, '/data/mcp/account', [], own.url)
      expect(challenge).toContain(`"${publicUrl}/.well-known/oauth-protected-resource/mcp/account"`)
      for (const place of [
        '/data/.well-known/oauth-protected-resource',
        '/.well-known/oauth-protected-resource/data',
      ]) {
        expect(await json(`${own.url}${place}/mcp/account`)).toMatchObject({ resource: `${publicUrl}/mcp/account` })
      }
      for (const place of [
        '/data/.well-known/oauth-authorization-server',
        '/.well-known/oauth-authorization-server/data',
      ]) {
        expect(await json(own.url + place)).toMatchObject({
          issuer: publicUrl,
          token_endpoint: `${publicUrl}/oauth/token`,
        })
      }
    } finally {
      await own.close()
    }
  })

  test('where everything is open nobody needs a token, and keys that do not hold are refused as by the API', async () => {
    const open = await serve({ ACCESS: 'open' })
    try {
      expect((await callTool(undefined, '/mcp/account', ['secret_price'], open.url)).status).toBe(200)
      expect(await callTool('cst_made-up', '/mcp/account', [], open.url)).toMatchObject({
        status: 401,
        challenge: expect.not.stringContaining('resource_metadata'),
      })
      expect((await fetch(`${open.url}/.well-known/oauth-authorization-server`)).status).toBe(404)
      expect((await fetch(`${open.url}/oauth/token`, { method: 'POST' })).status).toBe(404)
    } finally {
      await open.close()
    }
  })
})

describe('registration', () => {
  test('gives an id and no secret, whatever is asked for', async () => {
    const { status, body } = await app().register({ token_endpoint_auth_method: 'client_secret_basic' })
    expect([status, body]).toEqual([
      201,
      {
        client_id: expect.stringMatching(/^cl_[0-9a-f]{32}$/),
        client_id_issued_at: expect.any(Number),
        client_name: 'Trial',
        redirect_uris: [usualRedirect],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ])
  })

  test('takes addresses to which a browser may be sent, and no others', async () => {
    const statusFor = async (uri: string) => (await app().register({ redirect_uris: [uri] })).status
    for (const uri of [
      'https://app.example/callback?a=b',
      'http://localhost/callback',
      'http://[::1]:9/',
      'com.example.my-app:/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
    ]) {
      expect([uri, await statusFor(uri)]).toEqual([uri, 201])
    }
    for (const uri of [
      'http://app.example/callback',
      'https://app.example/#fragment',
      'https://user@app.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'ms-settings:display',
      'vscode://file/etc/passwd',
      'cursor://anysphere.cursor-mcp/oauth/callback?a=b',
      'cursor://settings',
      'example.:/callback',
      'no address',
      `https://app.example/${'x'.repeat(500)}`,
    ]) {
      expect([uri, await statusFor(uri)]).toEqual([uri, 400])
    }
    expect((await app().register({ redirect_uris: [] })).body.error).toBe('invalid_redirect_uri')
    expect((await app().register({ grant_types: ['implicit'] })).body.error).toBe('invalid_client_metadata')
    expect((await app().register({ client_name: 'x'.repeat(20_000) })).status).toBe(413)
  })

  test('leaves out addresses that are not accepted, as RFC 7591 allows', async () => {
    const one = app()
    const refused = 'vscode://file/etc/passwd'
    const { status, body } = await one.register({ redirect_uris: [refused, usualRedirect] })
    expect([status, body.redirect_uris]).toEqual([201, [usualRedirect]])
    expect((await one.ask(free, 'lookup', one.query())).status).toBe(200)
    expect((await one.ask(free, 'lookup', one.query({ redirect_uri: refused }))).status).toBe(400)
  })

  test('is counted by address', async () => {
    // What others registered counts, too.
    const folder = temporaryDataDir()
    const own = await serveTools(folder.dataDir, { REQUESTS_PER_MINUTE: '20' })
    try {
      const statuses = []
      for (const _ of [1, 2, 3]) statuses.push((await new OAuthApp(own.url).register()).status)
      expect(statuses).toEqual([201, 201, 429])
    } finally {
      await own.close()
      folder.remove()
    }
  })
})

describe('consent', () => {
  test('names the app, where the browser goes, and what it would see, and a refusal goes back', async () => {
    const one = app()
    await one.register({ client_name: 'Tri\u202eal\n', redirect_uris: ['https://app.example/callback?a=b'] })
    const query = one.query({ redirect_uri: undefined })
    const { body } = await one.ask(free, 'lookup', query)
    const refusal = new URLSearchParams({
      a: 'b',
      error: 'access_denied',
      error_description: 'the user did not allow it',
      state: 'a state',
      iss: service.url,
    })
    expect(body.data).toEqual([
      {
        client_name: 'Trial',
        client_host: null,
        redirect_host: 'app.example',
        is_on_this_device: false,
        tier: 'free',
        problem: null,
        refusal_url: `https://app.example/callback?${refusal}`,
      },
    ])
  })

  test('calls an app that registers without a name just that', async () => {
    const one = app()
    expect((await one.register({ client_name: undefined })).status).toBe(201)
    const { body } = await one.ask(free, 'lookup', one.query())
    expect(body.data).toEqual([expect.objectContaining({ client_name: 'An app without a name' })])
  })

  test.each([
    ['http://127.0.0.1:7777/callback', '127.0.0.1:7777', true],
    ['com.example.app:/callback', 'com.example.app:', true],
    ['https://app.example/callback', 'app.example', false],
  ])('says of %s whether it leads to a program on the device', async (uri, redirect_host, is_on_this_device) => {
    const one = app()
    await one.register({ client_name: 'Trial', redirect_uris: [uri] })
    const { body } = await one.ask(free, 'lookup', one.query({ redirect_uri: uri }))
    expect(body.data).toEqual([expect.objectContaining({ redirect_host, is_on_this_device })])
  })

  test('is for who is signed in, from pages of this service', async () => {
    const one = app()
    await one.register()
    expect((await one.ask('', 'lookup')).status).toBe(401)
    expect((await one.ask('', 'allow')).status).toBe(401)
    const elsewhere = await fetch(`${service.url}/v1/connections`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example', cookie: pro },
      body: JSON.stringify({ query: one.query() }),
    })
    expect(elsewhere.status).toBe(403)
    const page = await fetch(`${service.url}/connect?${one.query()}`)
    if (page.status === 200) {
      expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self'.*frame-ancestors 'none'/)
      expect(page.headers.get('content-security-policy')).not.toContain('unsafe-inline')
      expect(page.headers.get('x-frame-options')).toBe('DENY')
    }
  })

  test('never sends a browser to an address that is none of the app', async () => {
    const one = app()
    await one.register()
    for (const changes of [
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: 'http://127.0.0.1:7777/callback/' },
      { redirect_uri: 'http://127.0.0.1:7777/callback?x=1' },
      { redirect_uri: 'http://127.0.0.1.evil.example:7777/callback' },
      { client_id: 'cl_unknown' },
      { client_id: undefined },
    ]) {
      for (const action of ['lookup', 'allow'] as const) {
        expect([changes, (await one.ask(pro, action, one.query(changes))).status]).toEqual([changes, 400])
      }
    }
    expect((await one.ask(pro, 'lookup', `${one.query()}&client_id=other`)).status).toBe(400)
    // But for the port of a program on the device.
    expect((await one.ask(pro, 'lookup', one.query({ redirect_uri: 'http://127.0.0.1:8888/callback' }))).status).toBe(
      200,
    )
  })

  test('says what an app asks for wrongly, and allows none of it', async () => {
    const one = app()
    await one.register()
    for (const [changes, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ resource: `${service.url}/v1` }, 'invalid_target'],
      [{ scope: 'openid email' }, 'invalid_scope'],
    ] as const) {
      const { body } = await one.ask(pro, 'lookup', one.query(changes))
      expect(body.data).toMatchObject([{ problem: expect.any(String), tier: null }])
      expect(JSON.stringify(body.data)).toContain(`error=${error}&`)
      expect((await one.ask(pro, 'allow', one.query(changes))).status).toBe(400)
    }
  })

  test('needs the password again where it was given long ago', async () => {
    const one = app()
    await one.register()
    alter("UPDATE sessions SET confirmed_at = 0 WHERE account_id = (SELECT id FROM accounts WHERE tier = 'free')")
    expect((await one.ask(free, 'allow')).status).toBe(403)
    free = await signIn(service, data.dataDir, 'free@example.org', 'free')
    expect((await one.ask(free, 'allow')).status).toBe(201)
  })
})

describe('tokens', () => {
  test('open the tools with the tier of the account, and nothing else', async () => {
    const { access_token: token, scope } = await app().connect(pro)
    expect(scope).toBe('pro')
    const answer = await callTool(token)
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('secret_price')])
    expect(answer.text).not.toContain('secret_price needs tier pro')
    // Other audiences: the open path, and the API itself.
    expect(await statusWith(token, '/mcp')).toBe(401)
    for (const target of ['/v1/prices?limit=1', '/v1/keys', '/v1/usage']) {
      const response = await fetch(service.url + target, { headers: bearer(token) })
      expect([target, response.status]).toEqual([target, 401])
    }
    const { access_token: other } = await app().connect(pro, { resource: `${service.url}/mcp` })
    expect([await statusWith(other, '/mcp'), await statusWith(other)]).toEqual([200, 401])
  })

  test('show less where less is asked for, or where the account sees less by now', async () => {
    const one = await app().connect(pro, { scope: 'free offline_access' })
    expect(one.scope).toBe('free')
    expect((await callTool(one.access_token)).text).toContain('secret_price needs tier pro')
    const { scope, access_token: token } = await app().connect(free, { scope: 'free pro enterprise' })
    expect(scope).toBe('free')
    expect((await callTool(token, undefined, ['price'])).text).toContain('"row_count":365')

    const lowered = await signIn(service, data.dataDir, 'lowered@example.org', 'enterprise')
    const full = await app().connect(lowered)
    expect(full.scope).toBe('enterprise')
    await setTier({ DATA_DIR: data.dataDir }, 'lowered@example.org', 'free')
    expect((await callTool(full.access_token)).text).toContain('secret_price needs tier pro')
  })

  test('are made once of a code, and end where it comes again', async () => {
    const one = app()
    await one.register()
    const code = await one.code(pro)
    const other = app()
    await other.register()
    for (const [changes, error] of [
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:8888/callback' }, 'invalid_grant'],
      [{ client_id: other.id }, 'invalid_grant'],
      [{ client_id: 'cl_unknown' }, 'invalid_client'],
      [{ resource: `${service.url}/mcp` }, 'invalid_target'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ code_verifier: undefined }, 'invalid_request'],
      [{ client_id: undefined }, 'invalid_request'],
      [{ code: 'csc_other' }, 'invalid_grant'],
    ] as const) {
      const { status, body } = await one.redeem(code, changes)
      expect([changes, status, body.error]).toEqual([changes, error === 'invalid_client' ? 401 : 400, error])
    }
    const { body, headers } = await one.redeem(code)
    expect(headers.get('cache-control')).toBe('no-store')
    const tokens = tokensSchema.parse(body)
    expect(await statusWith(tokens.access_token)).toBe(200)
    expect((await one.redeem(code)).body.error).toBe('invalid_grant')
    expect(await statusWith(tokens.access_token)).toBe(401)
    expect((await one.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('are renewed by refresh tokens that hold once; where one comes again all end', async () => {
    const one = app()
    const first = await one.connect(pro)
    expect((await one.refresh(first.refresh_token, { client_id: 'cl_unknown' })).body.error).toBe('invalid_client')
    expect((await one.refresh(first.refresh_token, { resource: `${service.url}/mcp` })).body.error).toBe(
      'invalid_target',
    )
    const second = tokensSchema.parse(
      (await one.refresh(first.refresh_token, { resource: `${service.url}/mcp/account` })).body,
    )
    expect(new Set([first.access_token, second.access_token, first.refresh_token, second.refresh_token]).size).toBe(4)
    expect(await statusWith(second.access_token)).toBe(200)
    expect((await one.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect(await statusWith(second.access_token)).toBe(401)
    expect((await one.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a client that has not asked for refresh tokens gets none', async () => {
    const one = app()
    await one.register({ grant_types: undefined })
    expect((await one.connect(pro)).refresh_token).toBeUndefined()
  })

  test('end with their time, their client, their account, or at a word of the user', async () => {
    const one = app()
    const tokens = await one.connect(pro)
    alter(`UPDATE oauth_tokens SET expires_at = ${Date.now()} WHERE kind = 'access'`)
    expect(await statusWith(tokens.access_token)).toBe(401)
    const renewed = tokensSchema.parse((await one.refresh(tokens.refresh_token)).body)
    alter(`UPDATE oauth_tokens SET expires_at = ${Date.now()} WHERE kind = 'refresh'`)
    expect((await one.refresh(renewed.refresh_token)).body.error).toBe('invalid_grant')
    const late = await one.code(pro)
    alter(`UPDATE oauth_grants SET expires_at = ${Date.now()} WHERE redeemed_at IS NULL`)
    expect((await one.redeem(late)).body.error).toBe('invalid_grant')

    const ended = async (tokens: AppTokens) => [
      await statusWith(tokens.access_token),
      (await one.refresh(tokens.refresh_token)).status,
    ]
    const other = await one.connect(pro)
    expect((await one.form('revoke', { token: other.refresh_token, client_id: 'cl_other' })).status).toBe(200)
    expect((await one.form('revoke', { token: 'nothing' })).status).toBe(200)
    expect(await statusWith(other.access_token)).toBe(200)
    expect((await one.form('revoke', { token: other.refresh_token, client_id: one.id })).status).toBe(200)
    expect(await ended(other)).toEqual([401, 400])
    const partly = await one.connect(pro)
    expect((await one.form('revoke', { token: partly.access_token })).status).toBe(200)
    expect(await ended(partly)).toEqual([401, 200])

    const headers = { origin: service.url, cookie: pro }
    const listed = async () => (await (await fetch(`${service.url}/v1/connections`, { headers })).json()).data
    const shown = await one.connect(pro)
    const [{ id, ...newest }, ...others] = await listed()
    expect(newest).toMatchObject({
      client_name: 'Trial',
      redirect_host: '127.0.0.1:7777',
      tier: 'pro',
      last_used_at: null,
    })
    const remove = (id: string, cookie: string) =>
      fetch(`${service.url}/v1/connections/${id}`, { method: 'DELETE', headers: { ...headers, cookie } })
    expect((await remove(id, free)).status).toBe(404)
    expect((await remove(id, pro)).status).toBe(200)
    expect(await ended(shown)).toEqual([401, 400])
    expect(await listed()).toHaveLength(others.length)

    const leaving = await signIn(service, data.dataDir, 'leaving@example.org', 'pro')
    const left = await one.connect(leaving)
    expect(await statusWith(left.access_token)).toBe(200)
    const gone = await fetch(`${service.url}/v1/account`, {
      method: 'DELETE',
      headers: { ...headers, cookie: leaving },
    })
    expect(gone.status).toBe(200)
    expect(await ended(left)).toEqual([401, 400])
  })

  test('stand nowhere but as hashes', async () => {
    const one = app()
    await one.register()
    const code = await one.code(pro)
    const tokens = tokensSchema.parse((await one.redeem(code)).body)
    const files = ['accounts.db', 'accounts.db-wal'].map((name) =>
      readFileSync(path.join(data.dataDir, 'state', name), 'latin1'),
    )
    const stored = files.join()
    expect(stored).toContain(one.id)
    for (const secret of [code, tokens.access_token, tokens.refresh_token ?? '']) {
      expect(secret).toMatch(/^cs[crt]_[\w-]{43}$/)
      expect(stored).not.toContain(secret.slice(4))
      expect(stored).not.toContain(Buffer.from(secret.slice(4), 'base64url').toString('latin1'))
    }
    expect(service.log()).toBe('')
  })

  test('are counted by the account, and named by the app', async () => {
    const { access_token: token } = await app().connect(pro)
    await callTool(token)
    const headers = { origin: service.url, cookie: pro }
    const { data: uses } = await (await fetch(`${service.url}/v1/usage`, { headers })).json()
    const { data: apps } = await (await fetch(`${service.url}/v1/connections`, { headers })).json()
    expect(uses).toContainEqual(expect.objectContaining({ key: apps[0].id, endpoint: '/v1/series' }))
    expect(apps[0].last_used_at).not.toBeNull()
    const wrong = await fetch(`${service.url}/oauth/token`)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

test('a path of a proxy cannot hide what is served beside it', () => {
  for (const BASE_PATH of ['/oauth', '/.well-known/x']) expect(apiSettings.safeParse({ BASE_PATH }).success).toBe(false)
})
