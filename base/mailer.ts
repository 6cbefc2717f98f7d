import { z } from 'zod'
import { CoinstrataError } from './errors.ts'
import type { Logger } from './log.ts'
import { isLoopback } from './socket-address.ts'

type MailSettings = Readonly<Partial<Record<'MAIL_URL' | 'MAIL_FROM' | 'PUBLIC_URL', string | undefined>>>

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Without angle brackets; random by default. */
  readonly messageId?: string
  /** Address to which a mail program posts if its user wants no more of them (RFC 8058). */
  readonly unsubscribeUrl?: string
}

export type Mailer = NonNullable<ReturnType<typeof createMailer>>

/** One connection per mail, so that none stays open. */
const connections = { pool: true, maxConnections: 5, maxMessages: 1 } as const
const timeoutMs = 20_000
const refusedRecipient = z.object({ command: z.literal('RCPT TO'), permanent: z.boolean() })

/** Undefined without MAIL_URL. */
export function createMailer({ MAIL_URL: url, MAIL_FROM: from, PUBLIC_URL }: MailSettings, log?: Logger) {
  if (url === undefined) return undefined
  if (from === undefined || PUBLIC_URL === undefined) {
    throw new CoinstrataError('invalid_configuration', 'MAIL_URL also needs MAIL_FROM and PUBLIC_URL', {
      cure: 'set MAIL_FROM to the sender of mails, and PUBLIC_URL to the address to which links in them lead',
    })
  }
  const { username, hostname, host } = new URL(url)
  // No passwords in plain text over a network.
  const requireTLS = username !== '' && !isLoopback(hostname.replaceAll(/[[\]]/g, ''))
  // Loaded on first use: most commands send no mail.
  const connect = async () => (await import('nodemailer')).createTransport({ ...connections, requireTLS, url })
  let transport: ReturnType<typeof connect> | undefined
  let isFailing = false

  /**
   * Throws `mail_refused` for a recipient refused for good, else `mail_failed`, which is logged.
   */
  const sendMail = async ({ to, subject, text, messageId, unsubscribeUrl }: Mail): Promise<void> => {
    const refused = (cause?: unknown) =>
      new CoinstrataError('mail_refused', `no mail can be sent to '${to}'`, { cause })
    if (/[\s\p{Cc}<>,;]/u.test(`${to}${messageId ?? ''}`)) throw refused()
    try {
      transport ??= connect()
      await (await transport).sendMail({
        from,
        to: { name: '', address: to },
        subject: subject.replaceAll(/\p{Cc}+/gu, ' '),
        text,
        messageId: messageId && `<${messageId}>`,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
        signal: AbortSignal.timeout(timeoutMs),
      })
      isFailing = false
    } catch (cause) {
      log?.error({ err: cause }, 'a mail cannot be sent')
      const { data: recipient } = refusedRecipient.safeParse(cause)
      isFailing = recipient === undefined
      if (recipient?.permanent) throw refused(cause)
      throw new CoinstrataError('mail_failed', 'no mail can be sent right now', {
        cause,
        cure: 'try again in a minute',
      })
    }
  }
  /** Connects and logs in. Returns the host. Throws `mail_failed`. */
  const verify = async (): Promise<string> => {
    const { createTransport } = await import('nodemailer')
    const limits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
    const trial = createTransport({ ...limits, requireTLS, url })
    try {
      await trial.verify()
      return host
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new CoinstrataError('mail_failed', `the mail server ${host} cannot be used: ${reason}`, {
        cause,
        cure: 'check user, password and port in MAIL_URL, and that the server offers TLS',
      })
    } finally {
      trial.close()
    }
  }
  /** `isFailing`: the last mail failed for another reason than its recipient. */
  return { sendMail, verify, isFailing: () => isFailing }
}
