import type { Server } from 'node:http'
import { type Socket, Server as SocketServer } from 'node:net'

/** How long answers on their way may take when a server stops. */
const graceMilliseconds = 10_000

/**
 * How a server that has no connections yet will be stopped: new connections are refused and idle ones closed at once,
 * others after the last byte of their answers, or broken off when the grace is over.
 */
export function stopperOf(server: Server): () => Promise<void> {
  const answersOnTheirWay = new Map<Socket, number>()
  let isStopping = false
  server.on('connection', (socket) => {
    answersOnTheirWay.set(socket, 0)
    socket.once('close', () => answersOnTheirWay.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    answersOnTheirWay.set(socket, (answersOnTheirWay.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (answersOnTheirWay.get(socket) ?? 1) - 1
      // Of a connection that broke off, the answers may close after it.
      if (!socket.destroyed) answersOnTheirWay.set(socket, left)
      if (isStopping && left === 0) socket.destroySoon()
    })
  })
  return () =>
    new Promise((resolve) => {
      isStopping = true
      const impatience = setTimeout(() => server.closeAllConnections(), graceMilliseconds)
      // That of an HTTP server takes a connection for idle whose answer is complete but not yet sent, and destroys it.
      SocketServer.prototype.close.call(server, () => {
        clearTimeout(impatience)
        resolve()
      })
      for (const [socket, answers] of answersOnTheirWay) if (answers === 0) socket.destroySoon()
    })
}
