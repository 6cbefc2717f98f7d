import { get } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { serve, type TestServer, temporaryDataDir, withoutLimits } from '#test/api/support/test-server.ts'
import { buildPages } from '#test/support/built-pages.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer
let page: string

beforeAll(async () => {
  await buildPages()
  server = await serve(dataDir, withoutLimits)
  page = await (await fetch(`${server.url}/`)).text()
})
afterAll(async () => {
  await server?.close()
  remove()
})

test('a page is asked for anew each time except by shared caches, and sent once', async () => {
  const response = await fetch(`${server.url}/`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=4, stale-while-revalidate=4')
  const etag = response.headers.get('etag') ?? ''
  expect((await fetch(`${server.url}/`, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('a page has no script or style in itself, and loads nothing from elsewhere', () => {
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:|\{\{/)
})

test('what a page loads stays with browsers for ever, as small as they take it', async () => {
  const assets = [...page.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, name]) => `${server.url}/${name}`)
  expect(assets.length).toBeGreaterThan(5)
  const packed = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
  for (const asset of assets) {
    const plain = await fetch(asset, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.status, asset).toBe(200)
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-encoding')).toBeNull()
    const bytes = Buffer.from(await plain.arrayBuffer())
    if (asset.endsWith('.woff2')) continue
    for (const [encoding, unpack] of Object.entries(packed)) {
      const got = await rawBody(asset, encoding)
      expect(unpack(got).equals(bytes), `${asset} as ${encoding}`).toBe(true)
    }
  }
})

test('a document begins what its page needs first, and takes nothing else of the address into itself', async () => {
  const early = async (path: string) => {
    const document = await (await fetch(server.url + path)).text()
    expect(document).not.toMatch(/\{|<b>|onload=/)
    return [...document.matchAll(/as="fetch" crossorigin href="([^"]+)"/g)].map(([, address]) => address)
  }
  const history = (id: string) => `v1/series?metrics=${id}&amp;digits=6&amp;format=csv&amp;limit=10000`
  const index = 'v1/metrics/index'
  expect(await early('/metrics/mvrv?range=1y')).toEqual([
    'v1/metrics/mvrv?fields=all',
    history('mvrv'),
    history('price'),
    index,
  ])
  expect(await early('/metrics/price')).toEqual(['v1/metrics/price?fields=all', history('price'), index])
  expect(await early('/metrics/%3Cb%3E%22%20onload=1')).toEqual([history('price'), index])
  expect(await early('/workbench?range=1y&scale=log')).toEqual([index, history('price%2Crealized_price')])
  expect(await early('/workbench?metrics=mvrv')).toEqual([index])
  expect(await early('/docs/start')).toEqual([index])
})

test('llms.txt leads to every guide as Markdown', async () => {
  const response = await fetch(`${server.url}/llms.txt`)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const addresses = [...(await response.text()).matchAll(/^- \[.*?\]\((\/docs\/[\w-]+\.md)\): \w/gm)]
  expect(addresses.length).toBeGreaterThan(10)
  for (const [, address] of addresses) {
    const guide = await fetch(server.url + address)
    expect([address, guide.status]).toEqual([address, 200])
    expect(guide.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await guide.text()).toMatch(/^# \w/)
  }
})

test('what is no page and no file of one is not found, as JSON', async () => {
  for (const path of [
    '/nothing',
    '/assets/index.html',
    '/assets/..%2findex.html',
    '/assets/start.js',
    '/docs/none.md',
    '/docs/..%2findex.md',
  ]) {
    const response = await fetch(server.url + path)
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.json()).toMatchObject({ success: false, error: { code: 'not_found' } })
  }
})

test('browsers get a page for an unknown address, with status 404, and JSON below /v1', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const answer = await fetch(`${server.url}/nothing`, { headers: { accept } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await answer.text()).not.toContain('{{')
  const etag = answer.headers.get('etag') ?? ''
  expect((await fetch(`${server.url}/nothing`, { headers: { accept, 'if-none-match': etag } })).status).toBe(404)
  const inApi = await fetch(`${server.url}/v1/nothing`, { headers: { accept } })
  expect([inApi.status, inApi.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
})

test('pages of other sites may frame an embedded chart, which has no rights, and nothing else', async () => {
  const framing = async (target: string) => {
    const { headers } = await fetch(server.url + target, { redirect: 'manual' })
    const policy = headers.get('content-security-policy') ?? ''
    return [target, headers.get('x-frame-options'), /frame-ancestors ([^;]*)/.exec(policy)?.[1]]
  }
  const others = [
    ...Object.values(pages),
    ...Object.values(paths),
    '/embed',
    '/embed/x/y',
    '/v1/account',
    '/assets/x.js',
  ]
  for (const target of others.filter((one) => one !== paths.embed)) {
    // Nobody may be made to press Allow in a frame, not even by a page of this site.
    const allowed = target === pages.connect ? ['DENY', "'none'"] : ['SAMEORIGIN', "'self'"]
    expect(await framing(target)).toEqual([target, ...allowed])
  }
  const embedded = paths.embed.replace('{chart}', 'x')
  expect(await framing(embedded)).toEqual([embedded, null, '*'])
  const response = await fetch(server.url + embedded)
  const sandbox = /sandbox ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1]
  expect(sandbox).toBe('allow-scripts allow-popups allow-popups-to-escape-sandbox')
  expect(await response.text()).not.toMatch(/<form|<input|<button/)
  expect((await fetch(server.url + embedded, { method: 'POST' })).status).toBe(405)
})

/** A body as it comes, which fetch would unpack. */
function rawBody(url: string, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      expect(response.headers['content-encoding']).toBe(encoding)
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve(Buffer.concat(parts)))
    }).on('error', reject)
  })
}

test('the first chart of the page Today needs at most 80 kB of script, compressed', async () => {
  const start = await scriptsOf([...page.matchAll(/(?:href|src)="(assets\/[^"]+\.js)"/g)].map(([, name = '']) => name))
  const today = await scriptsOf(
    [...start]
      .flatMap(([, code]) => /"\.\/(today-[\w-]+\.js)"|`\.\/(today-[\w-]+\.js)`/.exec(code)?.slice(1) ?? [])
      .filter(Boolean)
      .map((name) => `assets/${name}`),
  )
  const needed = new Map([...start, ...today])
  expect(needed.size).toBeGreaterThan(3)
  expect(await sizeOf([...needed.keys()])).toBeLessThan(80_000)
})

test('an embedded chart needs at most 92 kB of script, compressed', async () => {
  const document = await (await fetch(`${server.url}/embed/x`)).text()
  const scripts = await scriptsOf(
    [...document.matchAll(/(?:href|src)="(assets\/[^"]+\.js)"/g)].map(([, name = '']) => name),
  )
  expect(await sizeOf([...scripts.keys()])).toBeLessThan(92_000)
})

/** Of files as they are sent, compressed. */
async function sizeOf(names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(names.map(async (name) => (await rawBody(`${server.url}/${name}`, 'gzip')).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Scripts with those that they import, by name, and their code. */
async function scriptsOf(names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const visit = async (name: string): Promise<void> => {
    if (found.has(name)) return
    const code = await (await fetch(`${server.url}/${name}`)).text()
    found.set(name, code)
    const imported = [...code.matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)].map(
      ([, one]) => `assets/${one}`,
    )
    await Promise.all(imported.map(visit))
  }
  await Promise.all(names.map(visit))
  return found
}
