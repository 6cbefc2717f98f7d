import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createShutdown } from '#base/graceful-shutdown.ts'

/** Less than what answers on their way are given, so that nothing here may wait for its end. */
const timeout = 8_000
/** More than the buffers of both ends hold. */
const size = 32_000_000
const large = Buffer.alloc(size, 'x')

const atOnce: RequestListener = (_, response) => {
  response.setHeader('Content-Length', size)
  response.end(large)
}
const inPieces: RequestListener = async (_, response) => {
  for (let from = 0; from < size; from += 1_000_000) {
    if (!response.write(large.subarray(from, from + 1_000_000))) await once(response, 'drain')
  }
  response.end()
}

async function listening(listener: RequestListener) {
  const server = http.createServer({ keepAliveTimeout: 65_000 }, listener)
  const stop = createShutdown(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, stop }
}

/** Asks over a connection that stays open, and reads nothing yet. */
async function ask(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'readable')
  return socket
}

async function bytesUntilEnd(socket: Socket): Promise<number> {
  let bytes = 0
  for await (const chunk of socket) bytes += chunk.length
  return bytes
}

test.each([
  ['in one piece', atOnce],
  ['in many', inPieces],
])(
  'a slow reader gets all of an answer %s, while nobody else is let in',
  async (_, listener) => {
    const { port, stop } = await listening(listener)
    const slow = await ask(port)
    const ended: string[] = []
    const stopped = stop().then(() => ended.push('server'))
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
    await wait(200)
    expect(ended).toEqual([])
    expect(await bytesUntilEnd(slow)).toBeGreaterThan(size)
    await stopped
  },
  timeout,
)

test(
  'idle connections, used before or not, are closed at once',
  async () => {
    const { port, stop } = await listening((_, response) => void response.end('short'))
    const unused = connect(port, '127.0.0.1')
    await once(unused, 'connect')
    const used = await ask(port)
    const closed = Promise.all([bytesUntilEnd(used), bytesUntilEnd(unused)])
    await stop()
    expect(await closed).toEqual([expect.any(Number), 0])
  },
  timeout,
)
