import { createServer, type RequestListener, type Server } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { defaultTimes } from '#accounts/webhooks/delivery-loop.ts'
import { isPublicAddress } from '#accounts/webhooks/public-address.ts'
import { createSignatureHeaders, formatSecret } from '#accounts/webhooks/signature.ts'
import { anyTargets, publicTargets, requireTarget, type TargetPolicy } from '#accounts/webhooks/target.ts'
import { sendMessage } from '#accounts/webhooks/webhook-delivery.ts'
import { listen } from '../../support/listen.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
})

/** Starts a receiver; returns its port. */
async function receiver(listener: RequestListener, host = '127.0.0.1'): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  return Number(new URL(await listen(server, host)).port)
}
const never = new AbortController().signal
const send = (url: string, policy: TargetPolicy = anyTargets, attemptMs = 5_000) =>
  sendMessage({ id: 'x', url, body: '{}' }, { policy, times: { ...defaultTimes, attemptMs }, version: '0' }, never)

test('a signature is that of Standard Webhooks, one for each secret', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const sign = (secrets: readonly Uint8Array[]) =>
    createSignatureHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330_999, '{"test": 2432232314}', secrets)
  // The example of its reference libraries.
  const expected = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  expect(sign([secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': expected,
  })
  const both = sign([Buffer.from('another'), secret])['webhook-signature'].split(' ')
  expect([both.length, both[1]]).toEqual([2, expected])
})

test('the library of Standard Webhooks accepts our signatures, and no other body', () => {
  const secret = Buffer.from('a secret of 32 bytes, as we make')
  const headers = createSignatureHeaders('msg_1', Date.now(), '{"a":1}', [Buffer.from('another'), secret])
  const library = new Webhook(formatSecret(secret))
  expect(library.verify('{"a":1}', headers)).toEqual({ a: 1 })
  expect(() => library.verify('{"a":2}', headers)).toThrow('No matching signature')
})

test('only addresses of the internet are public', () => {
  const refused = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.9.9.9', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.192', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '198.51.100.1', '203.0.113.255'],
    ...['168.63.129.16', '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ...['2002:7f00:1::', '2001:0:1::1', '2001:db8::1', 'localhost', '', '1.1.1'],
  ]
  expect(refused.filter(isPublicAddress)).toEqual([])
  const hosts = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450::1']
  expect(hosts.filter((address) => !isPublicAddress(address))).toEqual([])
})

test('an address is refused in every way of writing it', () => {
  const problem = (url: string, policy = publicTargets): string | undefined => {
    try {
      requireTarget(url, policy)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  const inner = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
  ]
  for (const host of inner)
    expect([host, problem(`https://${host}/`)]).toEqual([host, expect.stringContaining('public')])
  expect(problem('http://example.org/')).toContain('https')
  expect(problem('ftp://example.org/', anyTargets)).toContain('https')
  expect(problem('https://user:pass@example.org/')).toContain('password')
  expect(problem('https://example.org:22/')).toContain('port')
  expect(problem('https://example.org/#x')).toContain('fragment')
  for (const url of ['https://example.org/', 'https://example.org:8443/x?y=z', 'https://1.1.1.1/']) {
    expect([url, problem(url)]).toEqual([url, undefined])
  }
  expect(problem('http://127.0.0.1:3000/', anyTargets)).toBeUndefined()
})

test('a name with any address inside is not reached, and one address is asked for and connected to', async () => {
  let asked = 0
  const heard: string[] = []
  const port = await receiver((request, response) => {
    heard.push(`${request.socket.localAddress} ${request.headers.host}`)
    response.end()
  }, '0.0.0.0')
  /** The first answer is harmless, every further one is not. */
  const rebinding = (first: readonly string[]): TargetPolicy => ({
    allowsHttp: true,
    allows: (address) => address === '127.0.0.2',
    resolve: async () => (asked++ === 0 ? first : ['127.0.0.1']).map((address) => ({ address, family: 4 })),
  })
  expect(await send(`http://inner.example:${port}/`, rebinding(['127.0.0.2', '127.0.0.1']))).toMatchObject({
    isDelivered: false,
    problem: 'inner.example is no public address',
  })
  asked = 0
  expect(await send(`http://inner.example:${port}/`, rebinding(['127.0.0.2']))).toMatchObject({ isDelivered: true })
  expect([asked, heard]).toEqual([1, [`127.0.0.2 inner.example:${port}`]])
  expect(await send(`http://inner.example:${port}/`, rebinding([]))).toMatchObject({ isDelivered: false })
  expect(await send(`https://127.0.0.1:${port}/`, publicTargets)).toMatchObject({
    problem: '127.0.0.1 is no public address',
  })
  expect(heard).toHaveLength(1)
})

test('redirects are not followed, and who hangs is cut off', async () => {
  let inner = 0
  const innerPort = await receiver((_, response) => {
    inner++
    response.end()
  })
  const port = await receiver((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: `http://127.0.0.1:${innerPort}/` }).end()
    else if (request.url === '/gone') response.writeHead(410).end()
    else if (request.url === '/endless') response.writeHead(200).write('x')
    else if (request.url === '/reset') request.socket.destroy()
  })
  const url = `http://127.0.0.1:${port}`
  expect(await send(`${url}/redirect`)).toEqual({
    isDelivered: false,
    problem: 'it answered 302, and redirects are not followed',
    isGone: false,
  })
  expect(inner).toBe(0)
  expect(await send(`${url}/gone`)).toMatchObject({ isDelivered: false, isGone: true })
  // The response body is not reported.
  expect(await send(`${url}/endless`)).toMatchObject({ isDelivered: true })
  expect(await send(`${url}/reset`)).toMatchObject({ problem: '127.0.0.1 broke the connection off' })
  const begin = performance.now()
  expect(await send(`${url}/hang`, anyTargets, 200)).toMatchObject({ problem: 'it did not answer within 0.2 seconds' })
  const hangingNames: TargetPolicy = { ...anyTargets, resolve: () => new Promise(() => undefined) }
  expect(await send('https://slow.example/', hangingNames, 200)).toMatchObject({ isDelivered: false })
  expect(performance.now() - begin).toBeLessThan(2_000)
  const unknown: TargetPolicy = {
    ...anyTargets,
    resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
  }
  expect(await send('https://none.example/', unknown)).toMatchObject({
    problem: 'none.example is not known to the name servers',
  })
})
