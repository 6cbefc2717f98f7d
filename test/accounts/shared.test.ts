import { expect, test } from 'vitest'
import { setTier } from '#accounts/commands.ts'
import { chain, documented, serveChain, server } from '../api/support/chain-service.ts'
import { serve, signIn, withoutLimits } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'

serveChain()

async function signedIn(email: string, tier: 'free' | 'pro' = 'pro'): Promise<Visitor> {
  const visitor = new Visitor(server, documented)
  visitor.cookie = await signIn(server, chain.dataDir, email, tier)
  return visitor
}

const chart = { metrics: [{ id: 'sopr' }], width: 600, height: 300, days: 30, theme: 'dark' }

/** A picture as a page of another site asks for it: without cookie and key. */
async function fetchPicture(url: string) {
  const response = await fetch(url, { headers: { origin: 'https://elsewhere.example' } })
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, body }
}

test('a picture has an address that shows it to everybody with the rights of whose it is, until it is removed', async () => {
  const [owner, other] = [await signedIn('pictures@example.org'), await signedIn('other.pictures@example.org')]
  const made = await owner.post('/v1/pictures', { name: 'SOPR for my page', chart })
  const { id, png_url, svg_url } = made.answer.data[0]!
  expect([made.status, png_url]).toEqual([201, `${server.url}/p/${id}.png`])
  const png = await fetchPicture(png_url)
  expect([png.status, png.headers.get('content-type'), png.body.subarray(1, 4).toString()]).toEqual([
    200,
    'image/png',
    'PNG',
  ])
  expect(png.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  const svg = await fetchPicture(svg_url)
  expect(svg.body.toString()).toContain('<svg')
  // SOPR is of tier pro, which nobody is without a key.
  expect((await fetch(`${server.url}/v1/chart/snapshot?metric=sopr`)).status).toBe(401)
  expect((await owner.get('/v1/pictures')).answer.data).toMatchObject([{ id, name: 'SOPR for my page' }])
  expect((await other.get('/v1/pictures')).answer.data).toEqual([])
  // It is counted for whose it is.
  const uses = (await owner.get('/v1/usage')).answer.data
  expect(uses).toContainEqual(expect.objectContaining({ endpoint: '/p/{file}', key: null, requests: 2 }))

  await setTier({ DATA_DIR: chain.dataDir }, 'pictures@example.org', 'free')
  expect((await fetchPicture(png_url)).status).toBe(403)
  await setTier({ DATA_DIR: chain.dataDir }, 'pictures@example.org', 'pro')
  expect((await fetchPicture(png_url)).status).toBe(200)

  expect((await other.delete(`/v1/pictures/${id}`)).status).toBe(404)
  expect((await owner.delete(`/v1/pictures/${id}`)).status).toBe(200)
  for (const url of [png_url, svg_url, `${server.url}/p/${id}.gif`, `${server.url}/p/x.png`]) {
    expect((await fetchPicture(url)).status).toBe(404)
  }
})

test('addresses of pictures are made of charts that can be drawn, by who may draw them', async () => {
  const free = await signedIn('free.pictures@example.org', 'free')
  expect((await free.post('/v1/pictures', { name: 'x', chart })).answer.error?.code).toBe('insufficient_tier')
  const owner = await signedIn('wrong.pictures@example.org')
  const wrong = await owner.post('/v1/pictures', { name: 'x', chart: { ...chart, width: 1 } })
  expect([wrong.status, wrong.answer.error?.details?.parameter]).toEqual([400, 'chart.width'])
  expect((await owner.post('/v1/pictures', { name: '', chart })).status).toBe(400)
})

test('pictures are limited as their owner is', async () => {
  const limited = await serve(chain.dataDir, { ...withoutLimits, PRO_DAILY_REQUESTS: '4' })
  const owner = new Visitor(limited, documented)
  owner.cookie = await signIn(limited, chain.dataDir, 'quota.pictures@example.org', 'pro')
  const { png_url } = (await owner.post('/v1/pictures', { name: 'x', chart })).answer.data[0]!
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await fetchPicture(png_url)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  await limited.close()
})

test('a board is kept for its user, and shown to whoever has its share', async () => {
  const owner = await signedIn('board@example.org')
  const nothing = { title: '', charts: [], share: null }
  expect((await owner.get('/v1/board')).answer.data).toEqual([nothing])
  const board = { title: 'Mine', charts: [{ title: 'MVRV', address: '/metrics/mvrv?range=4y' }] }
  expect((await owner.post('/v1/board', board)).answer.data).toEqual([{ ...board, share: null }])
  const { share } = (await owner.post('/v1/board/share')).answer.data[0]!
  const guest = new Visitor(server, documented)
  const see = (which: string | null) => guest.get(`/v1/boards/${which}`)
  expect((await see(share)).answer.data).toEqual([board])
  await owner.post('/v1/board', { ...board, title: 'Ours' })
  expect((await see(share)).answer.data[0]!.title).toBe('Ours')
  const renewed = (await owner.post('/v1/board/share')).answer.data[0]!.share
  expect([(await see(share)).status, (await see(renewed)).status, (await see('x')).status]).toEqual([404, 200, 404])
  expect((await owner.delete('/v1/board/share')).answer.data).toEqual([{ ...board, title: 'Ours', share: null }])
  expect((await see(renewed)).status).toBe(404)
  expect((await guest.get('/v1/board')).status).toBe(401)

  for (const address of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/a b',
    '',
  ]) {
    const refused = await owner.post('/v1/board', { title: '', charts: [{ title: '', address }] })
    expect([address, refused.status]).toEqual([address, 400])
  }
  const longest = { title: 'x'.repeat(200), address: `/${'x'.repeat(1_999)}` }
  const full = { title: '', charts: Array.from({ length: 50 }, () => longest) }
  expect((await owner.post('/v1/board', full)).answer.data).toEqual([{ ...full, share: null }])
  const charts = Array.from({ length: 51 }, () => board.charts[0])
  expect((await owner.post('/v1/board', { title: '', charts })).status).toBe(400)
})
