import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Stands before a part of the service and passes on what others say to it: at once, late, or not at
 * all.
 */
export class Line {
  /**
   * Milliseconds that an answer takes longer. What is asked is a quarter of them under way: it is
   * heard, and answered too late.
   */
  delay = 0
  isCut = false
  /** Damages a bit of every long piece of an answer. */
  isNoisy = false
  /** Answers every HTTP request with this, instead of what lies behind it. */
  refusal: { readonly status: string; readonly body: string } | undefined
  /** What lies behind it. */
  target: URL
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(target: URL, server: Server, url: string) {
    this.target = target
    this.url = url
    this.#server = server
    server.on('connection', (near) => this.#pass(near))
  }

  /** On a free port of this machine; `url` is `target` with that port. */
  static async to(target: string): Promise<Line> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const url = new URL(target)
    return new Line(url, server, target.replace(url.host, `127.0.0.1:${address.port}`))
  }

  cut(): void {
    this.isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }

  #refuse(near: Socket, { status, body }: NonNullable<Line['refusal']>): void {
    this.#sockets.add(near)
    near.on('error', () => {})
    near.on('close', () => this.#sockets.delete(near))
    near.once('data', () =>
      near.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
    )
  }

  #pass(near: Socket): void {
    if (this.isCut) return void near.destroy()
    if (this.refusal) return void this.#refuse(near, this.refusal)
    const far = connect(Number(this.target.port), this.target.hostname)
    for (const [from, to, share] of [
      [near, far, 0.25],
      [far, near, 0.75],
    ] as const) {
      this.#sockets.add(from)
      // Nothing overtakes what is late.
      let passed = Promise.resolve()
      from.on('data', (chunk: Buffer) => {
        if (this.refusal) return void near.destroy()
        if (this.isNoisy && from === far && chunk.length > 1_000) chunk[chunk.length >> 1]! ^= 1
        const due = performance.now() + share * this.delay
        passed = passed.then(async () => {
          const wait = due - performance.now()
          if (wait > 0) await sleep(wait)
          to.write(chunk)
        })
      })
      // Whoever is at the other end hears of it by the close.
      from.on('error', () => {})
      from.on('close', () => {
        this.#sockets.delete(from)
        void passed.then(() => to.destroySoon())
      })
    }
  }
}
