import { describe, expect, test } from 'vitest'
import { readServiceAddress } from '#api/http/service-address.ts'
import { apiSettings } from '#api/settings.ts'
import { serveTools, type ToolService } from '#test/mcp/support/tool-service.ts'
import { dataDir, serveOwnFolder, server } from './support/own-service.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { bearer, keyOf, serve, signIn, withoutLimits } from './support/test-server.ts'

serveOwnFolder({ BASE_PATH: '/chain/data/' }, publishSmallGeneration)

describe('below a path', () => {
  test('everything is served, whether the proxy takes the path off or not', async () => {
    for (const target of ['/health', '/v1/prices?limit=1', '/docs?format=json', '/v1/changelog']) {
      for (const base of ['', '/chain/data']) {
        expect([base + target, (await fetch(server.url + base + target)).status]).toEqual([base + target, 200])
      }
    }
    expect((await fetch(`${server.url}/chain/database/health`)).status).toBe(404)
    expect((await fetch(`${server.url}/chain/data/chain/data/health`)).status).toBe(404)
  })

  test('its first page has a slash at the end, and pages know where they are', async () => {
    const bare = await fetch(`${server.url}/chain/data?a=b`, { redirect: 'manual' })
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/chain/data/?a=b'])
    const docs = await fetch(`${server.url}/chain/data/docs`, { headers: { accept: 'text/html' } })
    const page = await docs.text()
    expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual([
      expect.stringMatching(/^\/chain\/data\/assets\/mark-.*\.svg$/),
      expect.stringMatching(/^\/chain\/data\/assets\/theme-choice-.*\.js$/),
      '/chain/data/docs/assets/swagger-ui.css',
      expect.stringMatching(/^\/chain\/data\/assets\/styles-.*\.css$/),
      '/chain/data/',
      expect.stringMatching(/^\/chain\/data\/assets\/mark-.*\.svg$/),
      '/chain/data/metrics',
      '/chain/data/workbench',
      '/chain/data/docs/api',
      '/chain/data/docs',
      '/chain/data/docs/assets/swagger-ui-bundle.js',
      '/chain/data/docs/page.js',
    ])
    expect(await (await fetch(`${server.url}/chain/data/docs/page.js`)).text()).toContain(
      "'/chain/data/docs?format=json'",
    )
    const { servers } = await (await fetch(`${server.url}/docs?format=json`)).json()
    expect(servers).toEqual([{ url: '/chain/data' }])
  })

  test('the cookie and addresses of pictures are below it, too', async () => {
    const cookie = await signIn(server, dataDir, 'below@example.org', 'pro')
    const signedOut = await fetch(`${server.url}/chain/data/v1/sessions/current`, {
      method: 'DELETE',
      headers: { cookie },
    })
    expect(signedOut.headers.getSetCookie()[0]).toMatch(/^coinstrata_session=; Path=\/chain\/data; /)
    const headers = { ...bearer(await keyOf(dataDir, 'pro')), accept: 'application/json' }
    const chart = await (await fetch(`${server.url}/chain/data/v1/chart/snapshot?metric=price`, { headers })).json()
    expect(chart.png_url).toMatch(new RegExp(`^${server.url}/chain/data/v1/chart/renders/[0-9a-f]{32}\\.png$`))
    expect((await fetch(chart.png_url)).status).toBe(200)
  })

  test('over https the cookie bears a prefix that allows a path', async () => {
    const secure = await serve(dataDir, { ...withoutLimits, BASE_PATH: '/chain', TRUST_PROXY: '1' })
    await signIn(secure, dataDir, 'secure@example.org')
    const response = await fetch(`${secure.url}/chain/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https' },
      body: JSON.stringify({ email: 'secure@example.org', password: 'correct horse battery' }),
    })
    expect(response.headers.getSetCookie()[0]).toMatch(/^__Secure-coinstrata_session=\w+; .*Path=\/chain; .*Secure/)
    await secure.close()
  })
})

test('the tools give addresses of pictures below it', async () => {
  const tools: ToolService = await serveTools(dataDir, { BASE_PATH: '/chain' })
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'render_chart', arguments: { metrics: ['price'], format: 'json' } },
  }
  const response = await fetch(`${tools.url}/chain/mcp`, {
    method: 'POST',
    headers: {
      ...bearer(await keyOf(dataDir, 'enterprise')),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(call),
  })
  expect(await response.text()).toContain(`${tools.url}/chain/v1/chart/renders/`)
  await tools.close()
})

test('settings that contradict each other are refused', () => {
  const at = (BASE_PATH: string, PUBLIC_URL?: string) =>
    readServiceAddress({ BASE_PATH: apiSettings.parse({ BASE_PATH }).BASE_PATH, PUBLIC_URL })
  expect(at('')).toEqual({ basePath: '', publicUrl: undefined })
  expect(at('/a', 'https://x.org')).toEqual({ basePath: '/a', publicUrl: 'https://x.org/a' })
  expect(at('', 'https://x.org/a')).toEqual({ basePath: '/a', publicUrl: 'https://x.org/a' })
  expect(at('/a/', 'https://x.org/a')).toEqual({ basePath: '/a', publicUrl: 'https://x.org/a' })
  expect(() => at('/b', 'https://x.org/a')).toThrow('BASE_PATH is /b, but PUBLIC_URL ends in /a')
  for (const wrong of ['a', '/v1', '/mcp/x', '/a b', '//x', '/a?b', 'https://x.org']) {
    expect(apiSettings.safeParse({ BASE_PATH: wrong }).success, wrong).toBe(false)
  }
})

describe('what browsers are told', () => {
  const policyOf = async (target: string, headers: Record<string, string> = {}): Promise<string> =>
    (await fetch(server.url + target, { headers })).headers.get('content-security-policy') ?? ''

  test('nothing comes from other hosts, and nothing inline runs', async () => {
    for (const target of ['/', '/v1/prices', '/nowhere']) {
      const policy = await policyOf(target)
      expect(policy).toContain("default-src 'self';")
      expect(policy).toContain("require-trusted-types-for 'script'")
      expect(policy).toContain("frame-ancestors 'self'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
    }
  })

  test('only /docs may write styles, and pictures bring theirs along', async () => {
    const docs = await policyOf('/docs', { accept: 'text/html' })
    expect(docs).toContain("style-src 'self' 'unsafe-inline'")
    expect(docs).not.toContain('trusted-types')
    expect(await policyOf('/docs?format=json')).not.toContain('unsafe')
    const headers = { ...bearer(await keyOf(dataDir, 'pro', 'picture@example.org')), accept: 'image/svg+xml' }
    expect(await policyOf('/v1/chart/snapshot?metric=price', headers)).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'; font-src data:/,
    )
  })
})
