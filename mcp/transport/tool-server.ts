import { createServer } from 'node:http'
import express from 'express'
import { CoinstrataError } from '#base/errors.ts'
import { createShutdown } from '#base/graceful-shutdown.ts'
import { serverUrl } from '#base/socket-address.ts'
import { toolPath } from '#contract/oauth.ts'
import { identifyByKey } from './limit-messages.ts'
import { type MountOptions, mountTools } from './serve-http.ts'

export interface ToolServerSettings extends Omit<MountOptions, 'identifyCaller'> {
  /** 0 means any free port. */
  readonly port: number
  /** Number of proxies in front, or their addresses; empty for none. */
  readonly trustProxy: string | number
}

export interface RunningToolServer {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves the tools on their own port. Throws `invalid_configuration` for an address or port that it cannot listen on. */
export async function startToolServer(settings: ToolServerSettings): Promise<RunningToolServer> {
  const { host, port, trustProxy } = settings
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', trustProxy === '' ? false : trustProxy)
  mountTools(app, { ...settings, identifyCaller: identifyByKey })
  const server = createServer({ keepAliveTimeout: 65_000 }, app)
  const stop = createShutdown(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot listen on ${host} port ${port}: ${cause.message}`
      const cure = 'stop the program that uses it, or choose another host or port'
      reject(new CoinstrataError('invalid_configuration', message, { cause, cure }))
    })
    server.listen(port, host, resolve)
  })
  return { url: serverUrl(server) + toolPath, close: stop }
}
