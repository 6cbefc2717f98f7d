import { afterEach, expect, test } from 'vitest'
import { waitForOtherTip } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { type Answer, type ReceivedCall, type RpcServer, startRpcServer } from '#test/support/rpc-server.ts'

const tip = { height: 7, hash: '7'.repeat(64) }
let server: RpcServer | undefined
afterEach(() => server?.stop())

/** A node with this response to every call. */
async function nodeThat(answer: (call: ReceivedCall) => object): Promise<RpcClient> {
  server = await startRpcServer((calls): Answer => {
    const replies = calls.map((call) => ({ id: call.id, result: null, error: null, ...answer(call) }))
    return { status: 200, body: JSON.stringify(replies) }
  })
  return new RpcClient({ url: server.url, credentials: { user: 'u', password: 'p' } })
}

const asked: (readonly unknown[])[] = []

test('a node that can compare waits while the tip is the one that is known', async () => {
  asked.length = 0
  const client = await nodeThat(({ params }) => {
    asked.push(params)
    return { result: { hash: '8'.repeat(64), height: 8 } }
  })
  await waitForOtherTip(client, tip)
  expect(asked).toEqual([[5_000, tip.hash]])
})

test('an older node, which takes one parameter, is asked for short waits', async () => {
  asked.length = 0
  const client = await nodeThat(({ params }) => {
    asked.push(params)
    return params.length > 1
      ? { error: { code: -1, message: 'waitfornewblock ( timeout )' } }
      : { result: { hash: tip.hash, height: 7 } }
  })
  await waitForOtherTip(client, tip)
  expect(asked).toEqual([[5_000, tip.hash], [1_000]])
})

test('any other failure is told', async () => {
  const client = await nodeThat(() => ({ error: { code: -5, message: 'out of order' } }))
  await expect(waitForOtherTip(client, tip)).rejects.toMatchObject({ code: 'rpc_failed' })
})
