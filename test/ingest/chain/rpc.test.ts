import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { networks } from '#ingest/chain/networks.ts'
import { RpcClient, RpcError } from '#ingest/chain/rpc.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { type Answer, type ReceivedCall, results, startRpcServer } from '#test/support/rpc-server.ts'

const bitcoind = findBitcoind()
const { genesisHash } = networks.regtest
const password = 'correct horse'
const rpcAuth = (user: string): string =>
  `-rpcauth=${user}:5a17$${createHmac('sha256', '5a17').update(password).digest('hex')}`

async function catchFailure(call: Promise<unknown>): Promise<CoinstrataError> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof CoinstrataError)) throw new Error(`no CoinstrataError but ${failure}`)
  return failure
}

describe.skipIf(!bitcoind)('RPC client with a real node', () => {
  let node: TestNode
  const args = [rpcAuth('analyst'), rpcAuth('limited'), '-rpcwhitelist=limited:getblockcount', '-rpcwhitelistdefault=0']

  beforeAll(async () => {
    node = await startNode(bitcoind!, { args })
  })
  afterAll(() => node.stop())

  it('is let in by the cookie', async () => {
    const client = new RpcClient(node.endpoint)
    expect(await client.call('getblockhash', [0], z.string())).toBe(genesisHash)
  })

  it('is let in by user and password', async () => {
    const client = new RpcClient({ url: node.endpoint.url, credentials: { user: 'analyst', password } })
    expect(await client.call('getblockcount', [], z.int())).toBe(0)
  })

  it('says whose password was wrong without showing it', async () => {
    const credentials = { user: 'analyst', password: 'wrong battery' }
    const failure = await catchFailure(
      new RpcClient({ url: node.endpoint.url, credentials }).call('uptime', [], z.int()),
    )
    expect(failure.code).toBe('rpc_refused')
    expect(failure.message).toContain('"analyst"')
    expect(failure.cure).toContain('BITCOIN_RPC_PASSWORD')
    expect(`${failure.message} ${failure.cure} ${failure.stack}`).not.toContain('battery')
  })

  it('says that the node does not permit a method to this user', async () => {
    const client = new RpcClient({ url: node.endpoint.url, credentials: { user: 'limited', password } })
    expect(await client.call('getblockcount', [], z.int())).toBe(0)
    const failure = await catchFailure(client.call('getblockhash', [0], z.string()))
    expect(failure.code).toBe('rpc_refused')
    expect(failure.message).toContain('does not permit getblockhash')
  })

  it('says which cookie file was refused', async () => {
    const cookieFile = temporaryFile('__cookie__:0000')
    const failure = await catchFailure(
      new RpcClient({ url: node.endpoint.url, credentials: { cookieFile } }).call('uptime', [], z.int()),
    )
    expect(failure.code).toBe('rpc_refused')
    expect(failure.message).toContain(cookieFile)
    expect(failure.message).not.toContain('0000')
  })

  it('reads the cookie again after the node was restarted', async () => {
    const client = new RpcClient(node.endpoint)
    expect(await client.call('getblockcount', [], z.int())).toBe(0)
    await node.restart(args)
    expect(await client.call('getblockhash', [0], z.string())).toBe(genesisHash)
  })

  it('answers a batch in the order of its calls', async () => {
    await node.rpc('generatetodescriptor', [5, 'raw(51)'])
    const client = new RpcClient(node.endpoint)
    const heights = [3, 0, 5]
    const hashes = await client.batch(
      heights.map((height) => ({ method: 'getblockhash', params: [height] })),
      z.array(z.string()),
    )
    const headers = await client.batch(
      hashes.map((hash) => ({ method: 'getblockheader', params: [hash] })),
      z.array(z.object({ height: z.int() })),
    )
    expect(headers.map(({ height }) => height)).toEqual(heights)
  })

  it('passes on the error of the node, with its number and the call', async () => {
    const failure = await catchFailure(new RpcClient(node.endpoint).call('getblockhash', [999_999], z.string()))
    expect(failure).toBeInstanceOf(RpcError)
    expect(failure).toMatchObject({ code: 'rpc_failed', rpcCode: -8 })
    expect(failure.message).toContain('getblockhash [999999]: Block height out of range')
  })

  it('names what it does not understand in an answer', async () => {
    const schema = z.object({ chain: z.number() })
    const failure = await catchFailure(new RpcClient(node.endpoint).call('getblockchaininfo', [], schema))
    expect(failure.code).toBe('rpc_failed')
    expect(failure.message).toMatch(/getblockchaininfo \[\] could not be understood: chain: .*expected number/)
  })
})

describe('RPC client in adversity', () => {
  const credentials = { user: 'analyst', password }

  async function serve(answer: (calls: readonly ReceivedCall[], requests: number) => Answer | Promise<Answer>) {
    const server = await startRpcServer(answer)
    onTestFinished(server.stop)
    return server
  }

  it('tries again while the node has too much to do', async () => {
    const server = await serve((calls, requests) =>
      requests <= 2 ? { status: 503, body: 'Work queue depth exceeded' } : results(calls, () => 7),
    )
    expect(await new RpcClient({ url: server.url, credentials }).call('getblockcount', [], z.int())).toBe(7)
    expect(server.requests()).toBe(3)
  })

  it('waits while the node starts, and tells what it waits for', async () => {
    const warmingUp = { result: null, error: { code: -28, message: 'Loading block index…' } }
    const server = await serve((calls, requests) =>
      requests <= 3
        ? { status: 200, body: JSON.stringify(calls.map(({ id }) => ({ id, ...warmingUp }))) }
        : results(calls, () => 7),
    )
    const reasons: string[] = []
    const client = new RpcClient({ url: server.url, credentials }, (reason) => reasons.push(reason))
    expect(await client.call('getblockcount', [], z.int())).toBe(7)
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toContain('Loading block index…')
  })

  it('does not try again what the node has refused to do', async () => {
    const failed = { result: null, error: { code: -5, message: 'Block not found' } }
    const server = await serve((calls) => ({
      status: 200,
      body: JSON.stringify(calls.map(({ id }) => ({ id, ...failed }))),
    }))
    const failure = await catchFailure(
      new RpcClient({ url: server.url, credentials }).call('getblock', ['00'], z.any()),
    )
    expect(failure).toMatchObject({ code: 'rpc_failed', rpcCode: -5 })
    expect(server.requests()).toBe(1)
  })

  it('sends a request once more that met the closing of an idle connection', async () => {
    const server = await serve((calls, requests) => (requests === 2 ? undefined : results(calls, () => requests)))
    const client = new RpcClient({ url: server.url, credentials })
    expect(await client.call('getblockcount', [], z.int())).toBe(1)
    expect(await client.call('getblockcount', [], z.int())).toBe(3)
  })

  it('gives up on a connection that breaks before any answer', async () => {
    const server = await serve(() => undefined)
    const failure = await catchFailure(new RpcClient({ url: server.url, credentials }).call('uptime', [], z.int()))
    expect(failure.code).toBe('rpc_unreachable')
    expect(failure.message).toContain('ECONNRESET')
  })

  it('gives up on an answer that does not come in time', async () => {
    const server = await serve(() => new Promise(() => {}))
    const client = new RpcClient({ url: server.url, credentials })
    const failure = await catchFailure(client.call('gettxoutsetinfo', ['none'], z.any(), 50))
    expect(failure.code).toBe('rpc_unreachable')
    expect(failure.message).toContain('did not answer gettxoutsetinfo within 0.05 s')
  })

  it.each([
    ['a web page', { status: 404, body: '<html>Not found</html>' }, /HTTP 404, not with JSON-RPC/],
    ['no answer at all', { status: 200, body: '[]' }, /0 answers to 1 calls/],
    ['the answer to another call', { status: 200, body: '[{"id":9,"result":1,"error":null}]' }, /1 answers to 1 calls/],
  ])('refuses %s in place of an answer', async (_, answer, message) => {
    const server = await serve(() => answer)
    const failure = await catchFailure(new RpcClient({ url: server.url, credentials }).call('uptime', [], z.int()))
    expect(failure.code).toBe('rpc_failed')
    expect(failure.message).toMatch(message)
  })

  it('says that nothing listens at the address', async () => {
    const server = await startRpcServer(() => undefined)
    server.stop()
    const failure = await catchFailure(new RpcClient({ url: server.url, credentials }).call('uptime', [], z.int()))
    expect(failure.code).toBe('rpc_unreachable')
    expect(failure.message).toContain(`${new URL(server.url).host}: ECONNREFUSED`)
  })

  it('says that a missing cookie file means a node that does not run', async () => {
    const cookieFile = path.join(os.tmpdir(), 'coinstrata-no-such-folder', '.cookie')
    const client = new RpcClient({ url: 'http://127.0.0.1:1', credentials: { cookieFile } })
    const failure = await catchFailure(client.call('uptime', [], z.int()))
    expect(failure.code).toBe('rpc_unreachable')
    expect(failure.message).toContain(cookieFile)
  })

  it.each([
    'http://user:secret@127.0.0.1:8332',
    'http://127.0.0.1:8332/wallet/x',
    '127.0.0.1:8332',
    'http://127.0.0.1:8332/?secret',
  ])('does not take %s for the URL of a node', (url) => {
    const create = () => new RpcClient({ url, credentials })
    expect(create).toThrow(CoinstrataError)
    expect(create).toThrow(/http:\/\/host:port/)
    expect(create).not.toThrow(/secret/)
  })

  it.each(['http://127.0.0.1:8332', 'http://127.0.0.1:8332/', 'http://[::1]:8332', 'http://node.local'])(
    'takes %s',
    (url) => {
      expect(() => new RpcClient({ url, credentials })).not.toThrow()
    },
  )
})

function temporaryFile(content: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-rpc-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'cookie')
  writeFileSync(file, content)
  return file
}
