import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { listen } from '#test/support/listen.ts'

/**
 * Serves the files of a folder as a public web server does. It breaks the connection after
 * `limit.most` bytes of an answer. With `sendsParts` it understands Range. `sent` counts the bytes
 * of bodies.
 */
export async function startMirror(folder: string, { sendsParts = false } = {}) {
  const limit = { most: Number.POSITIVE_INFINITY, sent: 0 }
  const server = createServer((request, response) => {
    const file = path.join(folder, request.url ?? '')
    if (!existsSync(file)) {
      response.writeHead(404).end()
      return
    }
    let sent = 0
    const [, start = '0'] = (sendsParts && /^bytes=(\d+)-$/.exec(request.headers.range ?? '')) || []
    if (Number(start) > 0) response.writeHead(206)
    const stream = createReadStream(file, { highWaterMark: 4096, start: Number(start) })
    stream.on('data', (chunk) => {
      const part = chunk.slice(0, limit.most - sent)
      sent += part.length
      limit.sent += part.length
      response.write(part)
      if (part.length < chunk.length) {
        stream.destroy()
        // Once what was written is on its way.
        response.write('', () => response.destroy())
      }
    })
    stream.on('end', () => response.end())
  })
  return { url: await listen(server), server, limit }
}

export interface S3Server {
  readonly process: ChildProcess
  /** For the environment of who uses it. */
  readonly environment: Readonly<Record<string, string>>
}

/** Moto's server, where it is installed: it answers as S3 does, conditions of requests included. */
export const moto = process.env.PYTHON_TOOLS && path.join(process.env.PYTHON_TOOLS, 'moto_server')
export const hasMoto = moto !== undefined && moto !== '' && existsSync(moto)

export async function startS3(bucket: string): Promise<S3Server> {
  const server = createServer()
  const url = await listen(server)
  server.close()
  await once(server, 'close')
  const child = spawn(moto ?? '', ['-H', '127.0.0.1', '-p', new URL(url).port], { stdio: 'ignore' })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  for (;;) {
    const made = await fetch(`${url}/${bucket}`, { method: 'PUT' }).catch(() => undefined)
    if (made?.ok) break
    if (child.exitCode !== null) throw new Error(`moto_server ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    process: child,
    environment: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'any',
      AWS_SECRET_ACCESS_KEY: 'any',
    },
  }
}
