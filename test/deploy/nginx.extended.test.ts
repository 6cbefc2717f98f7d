import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { varyHeader } from '#api/http/send-answer.ts'
import { sharedCaching } from '#contract/shared-caching.ts'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'
import { bearer, keyOf, serve, signIn, type TestServer } from '#test/api/support/test-server.ts'
import { freePort } from '#test/support/free-port.ts'
import { temporaryFolder } from '#test/support/program.ts'

/** Debian keeps it where only the operator looks. */
const program = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin']
  .map((folder) => path.join(folder, 'nginx'))
  .find((file) => existsSync(file))
const shipped = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, '../../deploy/machines', name), 'utf8')
const etag = '"one"'

/**
 * Runs nginx with configurations as they are shipped, except for what is replaced: addresses, and
 * times for which no test waits.
 */
async function startNginx(
  folder: string,
  configurations: readonly (readonly [name: string, replaced: Readonly<Record<string, string>>])[],
): Promise<ChildProcess> {
  const files = configurations.map(([name, replaced]) => {
    let text = shipped(name).replaceAll('/var/cache/nginx', folder)
    for (const [usual, here] of Object.entries(replaced)) {
      expect(text).toContain(usual)
      text = text.replaceAll(usual, here)
    }
    const file = path.join(folder, name)
    writeFileSync(file, text)
    return file
  })
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(folder, name)};`,
  )
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
     events {} http { access_log off; ${places.join(' ')} ${files.map((file) => `include ${file};`).join(' ')} }`,
  )
  const nginx = spawn(program ?? '', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const killWithTest = (): boolean => nginx.kill('SIGKILL')
  process.once('exit', killWithTest)
  nginx.once('exit', () => process.off('exit', killWithTest))
  let said = ''
  nginx.stderr?.on('data', (chunk) => (said += String(chunk)))
  while (!existsSync(path.join(folder, 'nginx.pid'))) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended: ${said}`)
    await sleep(20)
  }
  return nginx
}

/**
 * A machine that answers as the API does: what it says of caching, and 304 to who knows the answer.
 */
class Machine {
  readonly seen: string[] = []
  isSilent = false
  readonly #port: number
  #server: Server | undefined

  constructor(port: number) {
    this.#port = port
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    this.#server = createServer(this.#answer)
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (!server?.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  #answer: RequestListener = ({ method, url = '', headers }, response) => {
    const known = headers['if-none-match'] === etag
    this.seen.push(`${method} ${url}${known ? ' known' : ''} for ${headers['x-forwarded-for']}`)
    if (this.isSilent) return
    if (headers['x-api-key'] === 'cs_stranger') {
      response.writeHead(503, { 'Cache-Control': 'no-store', 'Retry-After': '5' }).end()
      return
    }
    const isPrivate = headers.authorization !== undefined || url.includes('private')
    response.setHeader('Cache-Control', isPrivate ? 'private, no-cache' : sharedCaching)
    response.setHeader('Vary', varyHeader).setHeader('ETag', etag)
    if (known) response.writeHead(304).end()
    else response.end(`answer to ${headers.authorization ?? 'anybody'}`)
  }
}

describe.skipIf(program === undefined)('nginx before several machines', () => {
  const folder = temporaryFolder('nginx')
  let machines: Machine[] = []
  let nginx: ChildProcess
  let address = ''
  const seen = (): string[] => machines.flatMap((machine) => machine.seen.splice(0))
  const get = (place: string, init?: RequestInit) => fetch(`${address}${place}`, init)
  const statuses = async (count: number, place: string): Promise<number[]> => {
    const found: number[] = []
    // Other addresses each time, which nginx has not cached.
    for (let i = 0; i < count; i++) found.push((await get(`${place}/${i}?${Math.random()}`)).status)
    return [...new Set(found)]
  }
  /** Cached responses are requested again after a second, and failed machines after two. */
  const untilOld = () => sleep(3_100)
  const stopAll = () => Promise.all(machines.map((machine) => machine.stop()))

  beforeAll(async () => {
    machines = await Promise.all([0, 1, 2].map(async () => new Machine(await freePort())))
    await Promise.all(machines.map((machine) => machine.start()))
    const listensOn = `127.0.0.1:${await freePort()}`
    address = `http://${listensOn}`
    nginx = await startNginx(folder, [
      [
        'coinstrata.conf',
        {
          'listen 80;': `listen ${listensOn};`,
          'proxy_read_timeout 10s;': 'proxy_read_timeout 1s;',
          'proxy_read_timeout 25s;': 'proxy_read_timeout 1s;',
          'fail_timeout=3s': 'fail_timeout=2s',
          ...Object.fromEntries(machines.map((machine, i) => [`api-${i + 1}:3000`, machine.address])),
        },
      ],
    ])
  })
  afterAll(async () => {
    nginx.kill()
    await once(nginx, 'exit')
    await stopAll()
    rmSync(folder, { recursive: true })
  })

  it('gives all of them work, and tells who asks', async () => {
    seen()
    for (let i = 0; i < 9; i++) await get(`/pages/${i}`, { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    for (const machine of machines) expect(machine.seen.length).toBeGreaterThan(0)
    for (const request of seen()) expect(request).toMatch(/ for 127\.0\.0\.1$/)
  })

  it('asks another where one is gone or stands still, but sends nothing twice that changes something', async () => {
    await machines[0]!.stop()
    machines[1]!.isSilent = true
    seen()
    expect(await statuses(9, '/pages')).toEqual([200])
    // It is left alone then.
    expect(machines[1]!.seen.length).toBeLessThanOrEqual(2)
    machines[2]!.isSilent = true
    await untilOld()
    seen()
    expect((await get('/accounts', { method: 'POST' })).status).toBe(504)
    expect(seen().filter((request) => request.startsWith('POST'))).toHaveLength(1)
    await machines[0]!.start()
    for (const machine of machines) machine.isSilent = false
    await untilOld()
  })

  it('takes no machine from all because some cannot be told who they are', async () => {
    const headers = { 'X-API-Key': 'cs_stranger' }
    seen()
    for (let i = 0; i < 12; i++) {
      const refused = await get('/v1/prices', { headers })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    }
    expect(seen()).toHaveLength(12)
    expect(await statuses(9, '/pages')).toEqual([200])
    for (const machine of machines) expect(machine.seen.length).toBeGreaterThan(0)
  })

  it('keeps what is for everybody, checks it each second, and nothing else', async () => {
    seen()
    for (let i = 0; i < 4; i++) expect(await (await get('/v1/prices')).text()).toBe('answer to anybody')
    expect(seen()).toEqual(['GET /v1/prices for 127.0.0.1'])
    await untilOld()
    expect(await (await get('/v1/prices')).text()).toBe('answer to anybody')
    expect(seen()).toEqual(['GET /v1/prices known for 127.0.0.1'])
    const headers = { Authorization: 'Bearer cs_any' }
    for (let i = 0; i < 2; i++)
      expect(await (await get('/v1/prices', { headers })).text()).toBe('answer to Bearer cs_any')
    for (let i = 0; i < 2; i++) await get('/v1/private')
    expect(seen()).toHaveLength(4)
    expect(await (await get('/v1/prices')).text()).toBe('answer to anybody')
  })

  it('answers with that while no machine does, and only who has no key', async () => {
    await get('/v1/days')
    await stopAll()
    await untilOld()
    const stale = await get('/v1/days')
    expect([stale.status, stale.headers.get('x-cache-status')]).toEqual([200, 'STALE'])
    expect(await stale.text()).toBe('answer to anybody')
    expect((await get('/v1/days', { headers: { 'X-API-Key': 'cs_any' } })).status).toBe(502)
    expect((await get('/v1/private')).status).toBe(502)
    await Promise.all(machines.map((machine) => machine.start()))
    const since = performance.now()
    const status = async () => (await get('/v1/days', { headers: { 'X-API-Key': 'cs_any' } })).status
    await expect.poll(status, { interval: 100, timeout: 10_000 }).toBe(200)
    expect(performance.now() - since).toBeLessThan(3_500)
    await untilOld()
    expect((await get('/v1/days')).headers.get('x-cache-status')).not.toBe('STALE')
  })
})

describe.skipIf(program === undefined)('a cache before the load balancer', () => {
  const folder = temporaryFolder('edge')
  const dataDir = path.join(folder, 'data')
  let server: TestServer
  let nginx: ChildProcess
  let address = ''
  beforeAll(async () => {
    await publishSmallGeneration(dataDir, 'generation-1')
    server = await serve(dataDir, { TRUST_PROXY: '1', METRICS_PORT: '0' })
    const [balancer, edge] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
    address = `http://${edge}`
    const { host } = new URL(server.url)
    nginx = await startNginx(folder, [
      [
        'coinstrata.conf',
        { 'listen 80;': `listen ${balancer};`, 'api-1:3000': host, 'api-2:3000': host, 'api-3:3000': host },
      ],
      ['edge.conf', { 'listen 80;': `listen ${edge};`, 'balancer.internal': balancer }],
    ])
  })
  afterAll(async () => {
    nginx.kill()
    await once(nginx, 'exit')
    await server.close()
    rmSync(folder, { recursive: true })
  })
  const countRequests = async (): Promise<number> => {
    const text = await (await fetch(server.metricsUrl ?? '')).text()
    const counts = text.matchAll(/^coinstrata_http_request_duration_seconds_count\{.*\} (\d+)$/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const rowsFor = async (headers: Record<string, string>): Promise<number> =>
    (await (await fetch(`${address}/v1/prices?limit=1000`, { headers })).json()).count

  it('gives nobody what the key or session of another decides', async () => {
    const key = bearer(await keyOf(dataDir, 'pro'))
    const cookie = await signIn(server, dataDir, 'free@example.org')
    const callers: [count: number, headers: Record<string, string>][] = [
      [60, {}],
      [390, key],
      [390, { 'x-api-key': key.authorization!.slice('Bearer '.length) }],
      [365, { cookie }],
    ]
    for (const order of [callers, callers.toReversed()])
      for (const [count, headers] of order) expect([headers, await rowsFor(headers)]).toEqual([headers, count])
  })

  it('answers most public requests alone, and nothing older than ten seconds after a publication', async () => {
    const paths = [
      'prices',
      'prices?limit=30',
      'coindays',
      'blockchain',
      'metrics',
      'metrics/price',
      'metrics/categories',
      'cycle-boundaries',
    ]
    const rare = '/v1/metrics/volume'
    const seen: { readonly at: number; readonly generation: string }[] = []
    const ask = async (place: string): Promise<void> => {
      const response = await fetch(address + place)
      const at = performance.now()
      expect([place, response.status, response.headers.get('ratelimit')]).toEqual([place, 200, null])
      seen.push({ at, generation: (await response.json()).meta.generation })
    }
    const before = await countRequests()
    await ask(rare)
    let publishedAt = Number.POSITIVE_INFINITY
    const publication = sleep(3_000).then(async () => {
      await ask(rare)
      await publishSmallGeneration(dataDir, 'generation-2')
      publishedAt = performance.now()
    })
    const asked: Promise<void>[] = []
    for (let i = 0; performance.now() < publishedAt + 10_500; i++) {
      asked.push(ask(`/v1/${paths[i % paths.length]}`))
      await sleep(10)
    }
    await Promise.all([publication, ...asked])
    await ask(rare)
    const late = seen.filter(({ at, generation }) => at > publishedAt + 10_000 && generation !== 'generation-2')
    expect(late).toEqual([])
    expect(seen.some(({ generation }) => generation === 'generation-1')).toBe(true)
    const reached = (await countRequests()) - before
    expect(seen.length).toBeGreaterThan(500)
    expect(reached / seen.length).toBeLessThan(0.05)
  })
})
