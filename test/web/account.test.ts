import { describe, expect, test } from 'vitest'
import { cheapPasswords, serve, withoutLimits } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { freePort } from '#test/support/free-port.ts'
import { startSmtpServer } from '#test/support/smtp-server.ts'
import { chain, complaints, findings, openPages, page } from './support/opened.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages({ WEBHOOKS: 'any' })

  test('signing up by mail: the page says to look there, and the link opens the account', async () => {
    const port = await freePort()
    const smtp = await startSmtpServer()
    const mailing = await serve(
      chain.dataDir,
      {
        ...withoutLimits,
        PORT: `${port}`,
        SIGN_UP: 'open',
        MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
        MAIL_FROM: 'a@example.org',
      },
      { passwordCost: cheapPasswords, PUBLIC_URL: `http://127.0.0.1:${port}` },
    )
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    complaints.length = 0
    try {
      await page.goto(`${mailing.url}/account`)
      await button('Create an account').click()
      await page.getByLabel('E-mail address').fill('grace@example.org')
      expect(await page.getByLabel('Password').count()).toBe(0)
      await page.locator('form').getByRole('button', { name: 'Create an account' }).click()
      await page.getByText('Check your mail').waitFor()
      expect(await findings()).toEqual([])
      const link = /http:\S+#link=\S+/.exec(smtp.mails[0]?.text ?? '')?.[0] ?? ''
      await page.goto(link)
      await page.getByRole('heading', { name: 'Choose a password', level: 1 }).waitFor()
      await page.getByLabel('Password').fill('quietly four words apart')
      await button('Set the password').click()
      await page.getByText('grace@example.org, tier free').waitFor()
      expect(page.url()).toBe(`${mailing.url}/account`)
      expect(complaints).toEqual([])
    } finally {
      await mailing.close()
      await smtp.stop()
    }
  })
})
