import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readStreamAsJson, tidyLines, tidyMessages } from '#mcp/transport/lenient-messages.ts'

test('null is as good as nothing for params, cursors and arguments, also in batches', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  expect(tidyMessages({ ...ping, params: null })).toEqual(ping)
  expect(tidyMessages([{ ...ping, params: { cursor: null, _meta: { a: null } } }])).toEqual([
    { ...ping, params: { _meta: { a: null } } },
  ])
  const call = { ...ping, params: { name: 'x', arguments: { a: null } } }
  expect(tidyMessages(call)).toEqual(call)
  expect(['text', null, 5].map(tidyMessages)).toEqual(['text', null, 5])
})

test('lines are read across chunks, and each request that is none gets an answer', async () => {
  const refused: string[] = []
  const lines = tidyLines((line) => refused.push(line))
  const sent = Buffer.from(
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}\n{"id":"ä","method":"ping"}\nno json\n',
  )
  for (let at = 0; at < sent.length; at += 7) lines.write(sent.subarray(at, at + 7))
  lines.end()
  expect(await text(lines)).toBe('{"jsonrpc":"2.0","id":1,"method":"ping"}\nno json\n')
  expect(refused.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: '2.0', id: 'ä', error: { code: -32_600, message: 'the message is no JSON-RPC 2.0 request' } },
  ])
})

test('an event stream is read as JSON, without notifications', async () => {
  const message = { jsonrpc: '2.0', id: 1, result: {} }
  const notification = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
  const stream = [notification, message].map((one) => `event: message\ndata: ${JSON.stringify(one)}\n\n`).join('')
  const headers = { 'Content-Type': 'text/event-stream' }
  const answer = await readStreamAsJson(new Response(stream, { headers }))
  expect([answer.headers.get('Content-Type'), await answer.json()]).toEqual(['application/json', message])
  const other = new Response('x', { status: 202 })
  expect(await readStreamAsJson(other)).toBe(other)
})
