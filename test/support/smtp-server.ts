import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { TLSSocket } from 'node:tls'

export interface ReceivedMail {
  readonly from: string
  readonly to: string
  /** Header lines, unfolded. */
  readonly headers: readonly string[]
  readonly text: string
}

export interface SmtpServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** Commands as they came, with their arguments. */
  readonly commands: readonly string[]
  readonly stop: () => Promise<void>
}

interface SmtpOptions {
  readonly port?: number
  /** `user:password` that AUTH PLAIN must give; without it, AUTH is not offered. */
  readonly login?: string
  /** The response to a recipient, by default 250. */
  readonly respondTo?: (recipient: string) => string
  /** Called with each mail, before it is answered. */
  readonly onMail?: (mail: ReceivedMail) => void
  /** With it STARTTLS is offered, and AUTH only after it. */
  readonly certificate?: { readonly key: string; readonly cert: string }
}

/** Receives mail as RFC 5321 describes, on a free port of this machine, and keeps it. */
export async function startSmtpServer({
  port = 0,
  login,
  respondTo,
  onMail,
  certificate,
}: SmtpOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const talk = (socket: Socket, mustEncrypt: boolean): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    const send = (line: string): unknown => socket.write(`${line}\r\n`)
    let [from, to, isLoggedIn] = ['', '', login === undefined]
    let data: string[] | undefined
    const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ''
    const answers: Readonly<Record<string, (line: string) => string>> = {
      EHLO: () => {
        if (mustEncrypt) return '250-127.0.0.1\r\n250 STARTTLS'
        return login === undefined ? '250 127.0.0.1' : '250-127.0.0.1\r\n250 AUTH PLAIN'
      },
      STAR: () => {
        lines.close()
        setImmediate(() => talk(new TLSSocket(socket, { isServer: true, ...certificate }), false))
        return '220 go ahead'
      },
      AUTH: (line) => {
        const given = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()
        isLoggedIn = given === `\0${login?.replace(':', '\0')}`
        return isLoggedIn ? '235 welcome' : '535 5.7.8 wrong user or password'
      },
      MAIL: (line) => {
        from = addressIn(line)
        return isLoggedIn ? '250 ok' : '530 5.7.0 log in first'
      },
      RCPT: (line) => {
        const answer = respondTo?.(addressIn(line)) ?? '250 ok'
        if (answer.startsWith('250')) to = addressIn(line)
        return from === '' ? '503 5.5.1 MAIL first' : answer
      },
      DATA: () => {
        if (to === '') return '503 5.5.1 RCPT first'
        data = []
        return '354 end with a dot'
      },
      RSET: () => '250 ok',
      QUIT: () => '221 bye',
    }
    const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
    // It repeats errors of its input.
    lines.on('error', () => socket.destroy())
    lines.on('line', (line) => {
      if (data === undefined) {
        commands.push(line)
        send(answers[line.slice(0, 4).toUpperCase()]?.(line) ?? '500 5.5.2 unknown command')
      } else if (line !== '.') data.push(line.replace(/^\./, ''))
      else {
        const mail = { from, to, ...readMessage(data.join('\n')) }
        mails.push(mail)
        onMail?.(mail)
        data = undefined
        send('250 queued')
      }
    })
  }
  const server = createServer((socket) => {
    socket.write('220 127.0.0.1 ready\r\n')
    talk(socket, certificate !== undefined)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    mails,
    commands,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await once(server.close(), 'close')
    },
  }
}

function readMessage(message: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const [head = '', ...body] = message.split('\n\n')
  const headers = head.replaceAll(/\n\s+/g, ' ').split('\n')
  const isQuoted = headers.some((line) => /^Content-Transfer-Encoding: quoted-printable$/i.test(line))
  const text = body.join('\n\n')
  return { headers, text: isQuoted ? readQuoted(text) : text }
}

const readQuoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll('=\n', '')
      .replaceAll(/=([\dA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString()
