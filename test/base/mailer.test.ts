import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { createMailer, type Mailer } from '#base/mailer.ts'
import { createCertificate, hasOpenssl } from '#test/support/certificate.ts'
import { type SmtpServer, startSmtpServer } from '#test/support/smtp-server.ts'

const servers: SmtpServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

async function start(options: Parameters<typeof startSmtpServer>[0] = {}): Promise<SmtpServer> {
  const server = await startSmtpServer(options)
  servers.push(server)
  return server
}

const logged: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
const settings = { MAIL_FROM: 'Coinstrata <robot@chain.example>', PUBLIC_URL: 'https://chain.example' }
const open = (MAIL_URL: string): Mailer => createMailer({ ...settings, MAIL_URL }, log)!
const mail = { to: 'ada@example.org', subject: 'News', text: 'Hello' }

describe('mail', () => {
  test('arrives as it was written: long lines, dots and other letters too', async () => {
    const server = await start()
    const text = `.\n..\nGrüße ₿\n${'x'.repeat(2_000)}`
    await open(`smtp://127.0.0.1:${server.port}`).sendMail({ ...mail, text, messageId: 'alert-1@chain.example' })
    const [received] = server.mails
    expect(received).toMatchObject({ from: 'robot@chain.example', to: 'ada@example.org', text })
    expect(received?.headers).toEqual(
      expect.arrayContaining([
        'From: Coinstrata <robot@chain.example>',
        'To: ada@example.org',
        'Subject: News',
        'Message-ID: <alert-1@chain.example>',
        'Auto-Submitted: auto-generated',
      ]),
    )
  })

  test.each([
    { to: 'ada@example.org\r\nBcc: eve@example.org' },
    { to: 'ada@example.org, eve@example.org' },
    { to: 'ada@example.org> <eve@example.org' },
    { messageId: 'a@b\r\nBcc: eve@example.org' },
  ])('goes nowhere with the recipient or Message-ID of %o', async (wrong) => {
    const server = await start()
    const sent = open(`smtp://127.0.0.1:${server.port}`).sendMail({ ...mail, ...wrong })
    await expect(sent).rejects.toMatchObject({ code: 'mail_refused' })
    expect(server.commands).toEqual([])
  })

  test('has the headers that it should have, whatever its subject contains', async () => {
    const server = await start()
    const subject = 'News\r\nBcc: eve@example.org\n\nbody'
    await open(`smtp://127.0.0.1:${server.port}`).sendMail({ ...mail, subject })
    const [received] = server.mails
    expect(received?.headers).toContain('Subject: News Bcc: eve@example.org body')
    expect(received?.headers.filter((line) => line.startsWith('Bcc'))).toEqual([])
    expect(server.commands.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<ada@example.org>'])
  })

  test('is sent by who logs in; neither password nor recipient of a failure is lost or shown', async () => {
    const server = await start({ login: 'robot:hunter2@x' })
    await open(`smtp://robot:hunter2%40x@127.0.0.1:${server.port}`).sendMail(mail)
    expect(server.mails).toHaveLength(1)
    const wrong = open(`smtp://robot:hunter3@127.0.0.1:${server.port}`)
    await expect(wrong.sendMail(mail)).rejects.toMatchObject({ code: 'mail_failed' })
    expect([wrong.isFailing(), logged.join().includes('535 5.7.8')]).toEqual([true, true])
    expect(logged.join()).not.toMatch(/hunter|aHVudGVy|cm9ib3Q/)
  })

  test('is not sent where the password would cross a network in plain text', async () => {
    const server = await start({ login: 'robot:hunter2' })
    // Leads to loopback, but not by a name that says so.
    await expect(open(`smtp://robot:hunter2@0.0.0.0:${server.port}`).sendMail(mail)).rejects.toMatchObject({
      code: 'mail_failed',
    })
    expect(server.commands.filter((line) => line.startsWith('AUTH'))).toEqual([])
  })

  test.skipIf(!hasOpenssl)(
    'is sent with a password over a network once STARTTLS has encrypted the connection',
    async () => {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-mail-'))
      const known = getCACertificates('default')
      try {
        const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
        createCertificate('0.0.0.0', key, cert)
        const certificate = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
        const server = await start({ login: 'robot:hunter2', certificate })
        const url = `smtp://robot:hunter2@0.0.0.0:${server.port}`
        await expect(open(url).sendMail(mail)).rejects.toMatchObject({ code: 'mail_failed' })
        expect([server.mails.length, server.commands.at(-1)]).toEqual([0, 'STARTTLS'])
        setDefaultCACertificates([...known, certificate.cert])
        await open(url).sendMail(mail)
        expect(server.mails).toMatchObject([{ to: mail.to, text: mail.text }])
        expect(server.commands.filter((line) => /^(?:STARTTLS|AUTH)/.test(line))).toEqual([
          'STARTTLS',
          'STARTTLS',
          expect.stringMatching(/^AUTH PLAIN/),
        ])
      } finally {
        setDefaultCACertificates(known)
        rmSync(folder, { recursive: true })
      }
    },
  )

  test('fails by its recipient or by the server, and again succeeds', async () => {
    const server = await start({
      respondTo: (to) =>
        to.startsWith('nobody') ? '550 5.1.1 no such user' : to.startsWith('later') ? '451 4.7.1 later' : '250 ok',
    })
    const mailer = open(`smtp://127.0.0.1:${server.port}`)
    const codeTo = (to: string) => mailer.sendMail({ ...mail, to }).catch((error: unknown) => error)
    expect(await codeTo('nobody@example.org')).toMatchObject({ code: 'mail_refused' })
    expect(await codeTo('later@example.org')).toMatchObject({ code: 'mail_failed' })
    // Anybody can ask for mail to such addresses.
    expect(mailer.isFailing()).toBe(false)
    await server.stop()
    expect(await codeTo('ada@example.org')).toMatchObject({ code: 'mail_failed' })
    expect(mailer.isFailing()).toBe(true)
    const again = await start({ port: server.port })
    await mailer.sendMail(mail)
    expect([mailer.isFailing(), again.mails.length]).toEqual([false, 1])
  })

  test('many at once all arrive, over few connections', async () => {
    const server = await start()
    const mailer = open(`smtp://127.0.0.1:${server.port}`)
    await Promise.all(Array.from({ length: 12 }, (_, i) => mailer.sendMail({ ...mail, to: `${i}@example.org` })))
    expect(new Set(server.mails.map(({ to }) => to)).size).toBe(12)
  })

  test('needs a sender and an address for links', () => {
    expect(createMailer({}, log)).toBeUndefined()
    for (const missing of ['MAIL_FROM', 'PUBLIC_URL']) {
      const given = { ...settings, MAIL_URL: 'smtp://127.0.0.1', [missing]: undefined }
      expect(() => createMailer(given, log)).toThrow('MAIL_URL also needs MAIL_FROM and PUBLIC_URL')
    }
  })
})
