import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '#test/support/free-port.ts'
import { temporaryFolder } from '#test/support/program.ts'

/** Debian keeps it where only the operator looks. */
const program = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin']
  .map((folder) => path.join(folder, 'nginx'))
  .find((file) => existsSync(file))
const shipped = readFileSync(path.join(import.meta.dirname, '../../deploy/machines/coinstrata.conf'), 'utf8')
const etag = '"one"'

/** A machine that answers as the API does: what it says of caching and limits, and 304 to who knows the answer. */
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
    response.setHeader('Cache-Control', `${isPrivate ? 'private' : 'public'}, no-cache`)
    response.setHeader('Vary', 'Authorization, X-API-Key, Accept, Accept-Encoding').setHeader('ETag', etag)
    response.setHeader('RateLimit', '"minute";r=7;t=60').setHeader('X-RateLimit-Remaining', '7')
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
    for (let i = 0; i < count; i++) found.push((await get(place)).status)
    return [...new Set(found)]
  }
  /** Cached responses are requested again after a second, and failed machines after two. */
  const untilOld = () => sleep(3_100)
  const startAll = async (): Promise<void> => {
    await Promise.all(machines.map((machine) => machine.start()))
    await untilOld()
  }
  const stopAll = () => Promise.all(machines.map((machine) => machine.stop()))

  beforeAll(async () => {
    machines = await Promise.all([0, 1, 2].map(async () => new Machine(await freePort())))
    await Promise.all(machines.map((machine) => machine.start()))
    const listensOn = `127.0.0.1:${await freePort()}`
    address = `http://${listensOn}`
    const here = {
      'listen 80;': `listen ${listensOn};`,
      '/var/cache/nginx/coinstrata': path.join(folder, 'cache'),
      'proxy_read_timeout 45s;': 'proxy_read_timeout 1s;',
      'fail_timeout=50s': 'fail_timeout=2s',
      ...Object.fromEntries(machines.map((machine, i) => [`api-${i + 1}:3000`, machine.address])),
    }
    let conf = shipped
    for (const [usual, replaced] of Object.entries(here)) {
      expect(conf).toContain(usual)
      conf = conf.replaceAll(usual, replaced)
    }
    writeFileSync(path.join(folder, 'coinstrata.conf'), conf)
    mkdirSync(path.join(folder, 'cache'))
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${path.join(folder, name)};`,
    )
    writeFileSync(
      path.join(folder, 'nginx.conf'),
      `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
       events {} http { access_log off; ${places.join(' ')} include ${folder}/coinstrata.conf; }`,
    )
    nginx = spawn(program ?? '', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const killWithTest = (): boolean => nginx.kill('SIGKILL')
    process.once('exit', killWithTest)
    nginx.once('exit', () => process.off('exit', killWithTest))
    let said = ''
    nginx.stderr?.on('data', (chunk) => (said += String(chunk)))
    while (!(await get('/').catch(() => undefined))) {
      if (nginx.exitCode !== null) throw new Error(`nginx ended: ${said}`)
      await sleep(50)
    }
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
    const first = await get('/v1/prices')
    expect([first.headers.get('ratelimit'), first.headers.get('x-ratelimit-remaining')]).toEqual([
      '"minute";r=7;t=60',
      '7',
    ])
    for (let i = 0; i < 3; i++) {
      const again = await get('/v1/prices')
      expect(await again.text()).toBe('answer to anybody')
      expect([again.headers.get('ratelimit'), again.headers.get('x-ratelimit-remaining')]).toEqual([null, null])
    }
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
    await startAll()
    expect((await get('/v1/days')).headers.get('x-cache-status')).not.toBe('STALE')
  })
})
