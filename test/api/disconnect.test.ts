import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { keys, serveChain, server } from './support/chain-service.ts'

serveChain()

test('a client that disconnects is not logged as an error', async () => {
  const { hostname, port } = new URL(server.url)
  const headers = keys.get('enterprise')!
  const list = await fetch(`${server.url}/v1/metrics/index`, { headers })
  const { data }: { data: { id: string }[] } = await list.json()
  const metrics = data.slice(0, 50).map(({ id }) => id)
  const long = `GET /v1/series?metrics=${metrics.join()}&limit=10000 HTTP/1.1\r\n`
  const requests = [
    ...['identity', 'gzip'].map((encoding) => `${long}Accept-Encoding: ${encoding}\r\n`),
    long.replace('limit', 'format=csv&limit'),
    long.replace('limit', 'format=parquet&limit'),
    'GET /v1/series?metrics=no_such_metric HTTP/1.1\r\n',
    'GET /v1/tables/prices.parquet HTTP/1.1\r\n',
    'GET /v1/chart/snapshot?metric=price&format=svg HTTP/1.1\r\n',
    ...['/v1/chart/snapshot', '/v1/sessions', '/oauth/register'].map(
      (path) => `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`,
    ),
  ]
  for (const request of requests) {
    // Before the request is read, while it is answered, and while the answer is sent.
    for (const delayMs of [0, 5, 20]) {
      const socket = connect(Number(port), hostname).pause()
      await once(socket, 'connect')
      const body = request.startsWith('POST') ? '{"half":' : ''
      socket.write(`${request}Host: localhost\r\nAuthorization: ${headers.authorization}\r\n\r\n${body}`)
      await setTimeout(delayMs)
      socket.resetAndDestroy()
    }
  }
  // It waits for its turn behind the others.
  const [, last = ''] = long.split(' ')
  expect((await (await fetch(`${server.url}${last}`, { headers })).json()).success).toBe(true)
  expect(server.log()).toBe('')
})

/** Files that this process has open; descriptors may be closed meanwhile. */
const openedFiles = (folder = '/proc/self/fd'): string[] =>
  readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(path.join(folder, name))]
    } catch {
      return []
    }
  })

test.skipIf(process.platform !== 'linux')('a file made for a client that left meanwhile is closed', async () => {
  const { hostname, port } = new URL(server.url)
  const headers = keys.get('enterprise')!
  const target = (limit: number): string => `/v1/series?metrics=price,mvrv&limit=${limit}&format=parquet`
  for (let delayMs = 1; delayMs < 100; delayMs += 9) {
    for (const one of [target(1_000 + delayMs), '/v1/tables/prices.csv.gz']) {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write(`GET ${one} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\n\r\n`)
      await setTimeout(delayMs)
      socket.resetAndDestroy()
    }
  }
  // It waits for its turn behind the others.
  expect((await fetch(`${server.url}${target(2_000)}`, { headers })).status).toBe(200)
  expect(openedFiles().length).toBeGreaterThan(0)
  const left = () => openedFiles().filter((name) => /\/(answer|table)_[^/]*$/.test(name))
  await expect.poll(left, { timeout: 5_000 }).toEqual([])
  expect(server.log()).toBe('')
})
