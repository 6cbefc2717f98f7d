import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  Client,
  discoverAuthorizationServerMetadata,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { computeCode } from '#accounts/one-time-codes.ts'
import { openAccountStores } from '#accounts/services.ts'
import { mountTools } from '#mcp/transport/serve-http.ts'
import { OAuthApp, tokensSchema } from '#test/api/support/oauth-app.ts'
import { cheapPasswords, password } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { listen } from '#test/support/listen.ts'
import { chain, complaints, findings, openPages, page, server } from './support/opened.ts'

const email = 'ada@example.org'
const toolServerSecret = 'a-secret-of-which-only-tests-make-use-0123456789'

/** The redirect address of the app, and the parameters of the last redirect. */
let callback = ''
let brought = new URLSearchParams()
const receiver = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://127.0.0.1')
  if (url.pathname === '/callback') brought = url.searchParams
  const framed = url.searchParams.get('frame')
  response.setHeader('content-type', 'text/html')
  response.end(
    framed === null
      ? '<title>Back</title>Back in the app'
      : `<iframe src="${framed.replaceAll('&', '&amp;')}"></iframe>`,
  )
})

/** Storage of the official client. */
function memory() {
  const kept: {
    client?: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
    tokens?: Awaited<ReturnType<OAuthClientProvider['tokens']>>
    verifier: string
    /** The address that it wants to open in a browser. */
    asked: URL | undefined
  } = { verifier: '', asked: undefined }
  const provider: OAuthClientProvider = {
    redirectUrl: `${callback}/callback`,
    clientMetadata: {
      client_name: 'Trial assistant',
      redirect_uris: [`${callback}/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      kept.asked = url
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier,
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'tokens') delete kept.tokens
    },
  }
  return { kept, provider }
}

const connection = (provider: OAuthClientProvider) => ({
  client: new Client({ name: 'trial', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }),
  transport: new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/account`), { authProvider: provider }),
})

/** Changes stored records as if time had passed. */
function alter(statement: string): void {
  const database = new DatabaseSync(path.join(chain.dataDir, 'state', 'accounts.db'), { timeout: 5_000 })
  database.exec(statement)
  database.close()
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const isShown = (title: string) => page.getByRole('heading', { name: title, level: 1 }).waitFor()
const comeBack = () => page.waitForURL(/\/callback\?/)

describe.skipIf(!browser)('in a real browser', () => {
  openPages(
    {},
    {
      toolServerSecret,
      extend: (app, callerOf) =>
        mountTools(app, {
          host: '127.0.0.1',
          baseUrl: () => server.url,
          publicUrl: undefined,
          allowedHosts: [],
          allowedOrigins: [],
          secret: toolServerSecret,
          requestsPerMinute: 1_000_000,
          identifyCaller: callerOf,
          hasAccounts: true,
          log: pino({ level: 'silent' }),
        }),
    },
  )
  let secret = Buffer.alloc(0)
  beforeAll(async () => {
    callback = await listen(receiver)
    const services = await openAccountStores({ DATA_DIR: chain.dataDir }, undefined, cheapPasswords)
    const account = await services.accounts.create(email, 'pro', password)
    secret = Buffer.from((await services.factors.begin(account?.id ?? 0)) ?? [])
    await services.factors.confirm(account?.id ?? 0, computeCode(secret, Math.floor(Date.now() / 30_000) - 1))
    await services.close()
    page.setDefaultTimeout(20_000)
  })
  afterAll(() => {
    receiver.close()
    receiver.closeAllConnections()
  })

  test('the official client finds its way, registers, is allowed, renews its token and gives it back', {
    timeout: 90_000,
  }, async () => {
    const { kept, provider } = memory()
    const first = connection(provider)
    await expect(first.client.connect(first.transport)).rejects.toThrow()
    const asked = kept.asked?.href ?? ''
    expect(asked).toContain(`${server.url}/connect?`)
    expect(kept.asked?.searchParams.get('resource')).toBe(`${server.url}/mcp/account`)

    await page.goto(asked)
    await isShown('Sign in')
    await page.getByText('Sign in to see which one').waitFor()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await button('Sign in').click()
    await page.getByLabel('Code from your authenticator app').fill(computeCode(secret, Math.floor(Date.now() / 30_000)))
    await button('Sign in').click()
    await isShown('Connect “Trial assistant”?')
    expect(await page.locator('.request').innerText()).toMatch(
      new RegExp(`nobody has checked the name[^]*${new URL(callback).host}[^]*tier pro[^]*${email}`),
    )
    expect(await findings()).toEqual([])
    // Other sites may not frame the page.
    await page.goto(`${callback}/?frame=${encodeURIComponent(asked)}`)
    expect(complaints.splice(0)).toContainEqual(expect.stringContaining("frame-ancestors 'none'"))

    await page.goto(asked)
    await page.getByRole('link', { name: 'Do not allow' }).click()
    await comeBack()
    expect([brought.get('error'), brought.get('state'), brought.get('code')]).toEqual([
      'access_denied',
      kept.asked?.searchParams.get('state'),
      null,
    ])
    await page.goto(
      asked.replace(encodeURIComponent(`${callback}/callback`), encodeURIComponent('https://evil.example/')),
    )
    await isShown('This app cannot be connected')
    expect(await page.locator('main a[href*="evil"]').count()).toBe(0)
    complaints.splice(0)

    await page.goto(asked)
    await button('Allow').click()
    await comeBack()
    await first.transport.finishAuth(brought)
    const { client, transport } = connection(provider)
    await client.connect(transport)
    const ask = async () =>
      JSON.stringify(await client.callTool({ name: 'get_series', arguments: { metrics: ['mvrv'], days: 5 } }))
    expect(await ask()).toContain('mvrv')

    const { access_token: before } = tokensSchema.loose().parse(kept.tokens)
    alter(`UPDATE oauth_tokens SET expires_at = ${Date.now()} WHERE kind = 'access'`)
    expect(await ask()).toContain('mvrv')
    const renewed = tokensSchema.loose().parse(kept.tokens)
    expect(renewed.access_token).not.toBe(before)

    const { revocation_endpoint: place } = z
      .object({ revocation_endpoint: z.string() })
      .parse(await discoverAuthorizationServerMetadata(server.url))
    const revoked = await fetch(place, {
      method: 'POST',
      body: new URLSearchParams({ token: renewed.refresh_token ?? '', client_id: kept.client?.client_id ?? '' }),
    })
    expect(revoked.status).toBe(200)
    kept.asked = undefined
    await expect(ask()).rejects.toThrow()
    expect(String(kept.asked)).toContain('/connect?')
    await client.close()
    expect(complaints).toEqual([])
  })

  test('the page of the account lists apps and ends them', { timeout: 60_000 }, async () => {
    const app = new OAuthApp(server.url)
    await app.register({ client_name: 'Second assistant', redirect_uris: ['http://127.0.0.1/callback'] })
    const redirect_uri = `${callback}/callback`
    await page.goto(`${server.url}/connect?${app.query({ redirect_uri })}`)
    await button('Allow').click()
    await comeBack()
    const { body } = await app.redeem(brought.get('code') ?? '', { redirect_uri })
    const tokens = tokensSchema.parse(body)
    const line = `claude mcp add --transport http coinstrata ${server.url}/mcp/account`
    await page.goto(`${server.url}/connect`)
    await page.getByText(line).waitFor()
    await page.goto(`${server.url}/account`)
    await page.getByText(line).waitFor()
    const row = page.locator('section', { hasText: 'Connected apps' }).locator('li', { hasText: 'Second assistant' })
    await row.waitFor()
    expect(await findings()).toEqual([])
    await row.getByRole('button', { name: 'Revoke Second assistant' }).click()
    await row.getByRole('button', { name: 'Revoke permanently' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect(complaints).toEqual([])
  })

  test('the scenarios of the conformance suite for authorization servers pass', { timeout: 60_000 }, async () => {
    const app = new OAuthApp(server.url)
    await app.register({ redirect_uris: ['http://127.0.0.1/callback'] })
    const free = createServer()
    const port = new URL(await listen(free)).port
    free.close()
    const suite = path.join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
    const options = ['--url', server.url, '--client-id', app.id, '--resource', `${server.url}/mcp/account`, '-p', port]
    const run = spawn(process.execPath, [suite, 'authorization', ...options, '--spec-version', '2026-07-28'])
    let output = ''
    const done = once(run, 'close')
    run.stdout.on('data', (part) => (output += part))
    await expect.poll(() => /http:\S+\/connect\?\S+/.exec(output)?.[0], { timeout: 20_000 }).toBeDefined()
    await page.goto(/http:\S+\/connect\?\S+/.exec(output)?.[0] ?? '')
    await button('Allow').click()
    const [code] = await done
    expect(code, output).toBe(0)
    expect(output).toContain('Total: 3 passed, 0 failed')
  })
})
