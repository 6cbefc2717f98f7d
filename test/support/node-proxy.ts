import { readFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'

type Forward = (body: string) => Promise<string>

/** A node before the node, which may change an answer or break off. */
export async function serveBefore(
  { url, credentials }: RpcEndpoint,
  answer: (body: string, forward: Forward) => Promise<string | undefined>,
) {
  const cookie = 'cookieFile' in credentials ? readFileSync(credentials.cookieFile, 'utf8') : ''
  const forward: Forward = (body) =>
    new Promise((resolve, reject) => {
      const request = send(url, { method: 'POST', auth: cookie }, async (response) => {
        resolve(Buffer.concat(await response.toArray()).toString())
      })
      request.on('error', reject).end(body)
    })
  const server = createServer(async (request, response) => {
    const said = await answer(Buffer.concat(await request.toArray()).toString(), forward)
    if (said === undefined) request.socket.destroy()
    else response.end(said)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return { endpoint: { url: `http://127.0.0.1:${port}`, credentials }, close: () => server.close() }
}
