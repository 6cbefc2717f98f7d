import type { Server, ServerResponse } from 'node:http'
import { type Socket, Server as SocketServer } from 'node:net'

const graceMs = 10_000

/**
 * Returns a function that stops the server, which must not have connections yet. It refuses new
 * connections, closes idle ones after `idleMs` and busy ones after their last response, and aborts
 * the rest after ten seconds. Pending responses announce the close, so that clients send no more
 * requests.
 */
export function createShutdown(server: Server): (idleMs?: number) => Promise<void> {
  const pendingResponses = new Map<Socket, Set<ServerResponse>>()
  let isStopping = false
  server.on('connection', (socket) => {
    pendingResponses.set(socket, new Set())
    socket.once('close', () => pendingResponses.delete(socket))
  })
  server.prependListener('request', ({ socket }, response) => {
    const responses = pendingResponses.get(socket) ?? new Set()
    pendingResponses.set(socket, responses.add(response))
    if (isStopping) announceClose(response)
    response.once('close', () => {
      responses.delete(response)
      // Responses can close after their aborted connection.
      if (socket.destroyed) pendingResponses.delete(socket)
      else if (isStopping && responses.size === 0) socket.destroySoon()
    })
  })
  return (idleMs = 0) =>
    new Promise((resolve) => {
      isStopping = true
      const closeIdle = (): void => {
        for (const [socket, responses] of pendingResponses) if (responses.size === 0) socket.destroySoon()
      }
      const idleTimer = idleMs > 0 ? setTimeout(closeIdle, idleMs) : undefined
      const abortTimer = setTimeout(() => server.closeAllConnections(), graceMs)
      // HTTP's own close() destroys connections whose response is complete but unsent.
      SocketServer.prototype.close.call(server, () => {
        clearTimeout(idleTimer)
        clearTimeout(abortTimer)
        // It also stops the timer that checks connections, which would keep the server in memory.
        server.close()
        resolve()
      })
      for (const responses of pendingResponses.values()) for (const response of responses) announceClose(response)
      if (idleMs === 0) closeIdle()
    })
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
