import type { Server, ServerResponse } from 'node:http'
import { type Socket, Server as SocketServer } from 'node:net'

/** How long answers on their way may take when a server stops. */
const graceMilliseconds = 10_000

/**
 * How a server that has no connections yet will be stopped: new connections are refused and idle ones closed, at once or after `idleFor`
 * milliseconds, others after the last byte of their answers, or broken off when the grace is over. Answers that have not begun
 * say that their connection ends, so that clients send nothing more on it.
 */
export function createShutdown(server: Server): (idleFor?: number) => Promise<void> {
  const answersOnTheirWay = new Map<Socket, Set<ServerResponse>>()
  let isStopping = false
  server.on('connection', (socket) => {
    answersOnTheirWay.set(socket, new Set())
    socket.once('close', () => answersOnTheirWay.delete(socket))
  })
  server.prependListener('request', ({ socket }, response) => {
    const answers = answersOnTheirWay.get(socket) ?? new Set()
    answersOnTheirWay.set(socket, answers.add(response))
    if (isStopping) sayEnd(response)
    response.once('close', () => {
      answers.delete(response)
      // Of a connection that broke off, the answers may close after it.
      if (socket.destroyed) answersOnTheirWay.delete(socket)
      else if (isStopping && answers.size === 0) socket.destroySoon()
    })
  })
  return (idleFor = 0) =>
    new Promise((resolve) => {
      isStopping = true
      const closeIdle = (): void => {
        for (const [socket, answers] of answersOnTheirWay) if (answers.size === 0) socket.destroySoon()
      }
      const patience = idleFor > 0 ? setTimeout(closeIdle, idleFor) : undefined
      const impatience = setTimeout(() => server.closeAllConnections(), graceMilliseconds)
      // That of an HTTP server takes a connection for idle whose answer is complete but not yet sent, and destroys it.
      SocketServer.prototype.close.call(server, () => {
        clearTimeout(patience)
        clearTimeout(impatience)
        resolve()
      })
      for (const answers of answersOnTheirWay.values()) for (const response of answers) sayEnd(response)
      if (idleFor === 0) closeIdle()
    })
}

function sayEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
