import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { formatUrlHost, isLoopback, serverUrl, socketUrl } from '#base/socket-address.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['::ffff:192.0.2.7', 'http://192.0.2.7:3000'],
  ['::1', 'http://[::1]:3000'],
])('a connection to %s came to %s', (localAddress, expected) => {
  expect(socketUrl({ localAddress, localPort: 3000 })).toBe(expected)
})

const reached = { '0.0.0.0': '127.0.0.1', '::': '[::1]', '::1': '[::1]', '192.0.2.7': '192.0.2.7' }
test.each(Object.entries(reached))('what listens on %s is reached by %s', (host, expected) => {
  expect(formatUrlHost(host)).toBe(expected)
})

test.each(['localhost', '127.0.0.1', '127.9.9.9', '::1'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true)
})
test.each(['0.0.0.0', '::', '192.0.2.7', '127.example.org', 'localhost.example.org'])('%s is not', (host) => {
  expect(isLoopback(host)).toBe(false)
})

test('a server that listens on every address can be opened by the address that it tells', async () => {
  const server = createServer((_, response) => response.end('here'))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  try {
    const address = serverUrl(server)
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(address)).text()).toBe('here')
  } finally {
    server.close()
  }
})
