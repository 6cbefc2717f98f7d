import { once } from 'node:events'
import type { Server } from 'node:http'

/** Starts a server on a free port of this machine and returns its address. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<string> {
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}
