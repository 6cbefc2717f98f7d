import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { sendRequest } from '#clients/typescript/request.ts'
import { listen } from '../support/listen.ts'

test('an aborted request does not wait for its next attempt', async () => {
  const stop = new AbortController()
  const server = createServer((_, response) => {
    response.writeHead(429, { 'Retry-After': '30' }).end()
    setTimeout(() => stop.abort(new Error('stopped')), 50)
  })
  const url = await listen(server)
  const begin = performance.now()
  const sent = sendRequest(url, { signal: stop.signal }, { maxRetries: 2, maxWaitSeconds: 60 })
  await expect(sent).rejects.toThrow('stopped')
  expect(performance.now() - begin).toBeLessThan(10_000)
  server.close()
})
