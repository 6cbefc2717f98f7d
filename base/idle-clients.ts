import type { Server } from 'node:http'

/**
 * Disconnects clients that read nothing of their answer, or send nothing more of a request body,
 * for `timeoutMs`.
 */
export function disconnectIdleClients(server: Server, timeoutMs = 30_000): void {
  server.setTimeout(timeoutMs, (socket) => {
    // A socket that waits for its answer has nothing to read.
    if (socket.writableLength > 0) socket.destroy()
  })
  // Emitted only until the body is complete.
  server.on('request', (request) => request.once('timeout', () => request.destroy()))
}
