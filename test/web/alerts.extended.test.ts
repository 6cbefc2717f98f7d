import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { webhookFormats } from '#contract/alerts.ts'
import { lastDay } from '#test/api/support/served-chain.ts'
import { cheapPasswords, serve, signIn, withoutLimits } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { listen } from '#test/support/listen.ts'
import { startSmtpServer } from '#test/support/smtp-server.ts'
import {
  chain,
  complaints,
  findings,
  open,
  openPages,
  overflow,
  page,
  server,
  smallControls,
} from './support/opened.ts'

const smtp = await startSmtpServer()
const received: string[] = []
const receiver = createServer(async (request, response) => {
  received.push(await text(request))
  response.end()
})
let hook: string
beforeAll(async () => {
  hook = await listen(receiver)
})
afterAll(async () => {
  await smtp.stop()
  receiver.close()
})

const inside = {
  PUBLIC_URL: 'http://chain.example',
  webhookTimes: { pollMs: 20, attemptMs: 2_000, firstRetryMs: 50 },
}
const mail = {
  MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'alerts@chain.example',
  ALERTS_TO: 'operator@chain.example',
  WEBHOOKS: 'any',
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (label: string) => page.getByLabel(label, { exact: true })
const choice = (label: string) => page.getByRole('combobox', { name: label, exact: true })
const items = () => page.locator('li.alert')
/** What is said about a field that was refused. */
const problemOf = async (label: string): Promise<string> => {
  const id = await page.locator('input[aria-invalid=true]').and(field(label)).getAttribute('aria-describedby')
  return page.locator(`[id="${id}"].problem`).innerText()
}
const create = async (url: string, body: object, cookie = ''): Promise<void> => {
  const headers = { 'content-type': 'application/json', cookie }
  const { status } = await fetch(`${url}/v1/alerts`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(status).toBe(201)
}
const above = (value: number) => ({ metric: 'mvrv', condition: { kind: 'above', value } })

describe.skipIf(!browser)('in a real browser', () => {
  openPages({ ACCESS: 'open', ...mail }, inside)

  test('an alert is tried on the past, created, tested, changed, turned off and deleted', {
    timeout: 60_000,
  }, async () => {
    page.setDefaultTimeout(10_000)
    await open('/metrics/mvrv')
    await page.getByRole('link', { name: 'Alert', exact: true }).click()
    await page.waitForURL('/alerts?watch=mvrv')
    expect(await field('Metric or formula').inputValue()).toBe('mvrv')
    await field('Level').fill('1.5')
    const trial = await fetch(`${server.url}/v1/alerts/trial`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(above(1.5)),
    })
    const { count, fired } = (await trial.json()).data[0]
    await page.getByText(`It would have fired ${count} times since 12 February 2009.`).waitFor()
    const closed = fired.filter(({ date }: { date: string }) => parseDay(date) <= lastDay)
    expect(closed.length).toBeGreaterThan(4)
    await expect.poll(() => page.locator('.picture .vertical-line').count()).toBe(closed.length)

    expect(await choice('Webhook').locator('option').allTextContents()).toHaveLength(1 + webhookFormats.length)
    await choice('Webhook').selectOption('telegram')
    await field('URL').fill(hook)
    await button('Create alert').click()
    await expect.poll(() => problemOf('URL')).toBe('Must end with ?chat_id=, the id of your chat.')
    await choice('Webhook').selectOption('json')
    await field('URL').fill(`${hook}/mine`)
    await button('Create alert').click()
    const secret = await page.locator('.made .secret').innerText()
    expect(secret).toMatch(/^whsec_/)
    await button('I have saved it').click()
    expect(await page.content()).not.toContain(secret)
    await items()
      .getByText(`by e-mail and to ${new URL(hook).host} (JSON, signed)`)
      .waitFor()

    await button('Send a test').click()
    await items().getByText('e-mail accepted · webhook accepted').waitFor()
    expect(received.map((body) => JSON.parse(body).type)).toEqual(['alert.test'])
    const link = /http:\/\/chain\.example(\/alerts\?alert=al_\w+)/.exec(smtp.mails[0]?.text ?? '')?.[1]

    await open(link ?? '')
    expect(await field('Level').inputValue()).toBe('1.5')
    await choice('Fires when it').selectOption('outside')
    await field('Low end').fill('2')
    await field('High end').fill('1')
    await expect.poll(() => problemOf('High end')).toBe('Must be above low.')
    await field('High end').fill('3')
    await button('Save changes').click()
    await items().getByRole('heading', { name: 'mvrv is below 2 or above 3' }).waitFor()
    expect(await items().innerText()).toContain(`by e-mail and to ${new URL(hook).host}`)

    await button('Turn off').click()
    await items().getByText('Off', { exact: true }).waitFor()
    await button('Turn on').click()
    await button('Turn off').waitFor()
    await button('Delete mvrv is below 2 or above 3').click()
    await button('Delete permanently').click()
    await items().waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'New alert' }).waitFor()
    await open(link ?? '')
    await page.getByText('There is no such alert among yours').waitFor()
  })

  test('a formula of the workbench becomes an alert, and mistakes are shown in their place', async () => {
    await open('/workbench?metrics=price%20%2F%20sma(price,%20200)')
    await page.getByRole('link', { name: 'Alert on price / sma(price, 200)' }).click()
    await page.waitForURL(/\/alerts\?watch=/)
    await choice('Fires when it').selectOption('change')
    await field('By more than, %').fill('0')
    await field('Within days').fill('7')
    await expect.poll(() => problemOf('By more than, %')).toBe('Must be above 0.')
    await field('By more than, %').fill('5')
    await page.getByText(/It would have fired \d+ times/).waitFor()
    await field('Metric or formula').fill('price / smaa(price, 200)')
    await field('Metric or formula').press('Tab')
    await page.locator('.wrong').getByText('smaa').first().waitFor()
    expect(await page.getByText(/It would have fired/).count()).toBe(0)
    await button('Create alert').click()
    await page.getByText('Name a metric or a formula, and give the condition its numbers.').waitFor()
  })

  test('form and list fit a phone, can be read in both themes and used by fingers', async () => {
    await create(server.url, above(1.2))
    await create(server.url, { ...above(1.5), webhook: { url: hook, format: 'slack' } })
    // Not known before the day is closed, and the last one is years ago.
    await create(server.url, { ...above(1), metric: 'coindays_destroyed' })
    await page.setViewportSize({ width: 390, height: 844 })
    for (const [path, isShown] of [
      ['/alerts?watch=mvrv', '.picture > svg'],
      ['/alerts', 'li.alert'],
    ] as const) {
      await open(path)
      await page.locator(isShown).first().waitFor()
      const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
      expect(files.filter((one) => /-other-/.test(one))).toEqual([])
      if (path === '/alerts') await items().getByText('It cannot fire now: the newest block is').waitFor()
      if (path === '/alerts') await page.locator('main summary').first().click()
      expect(await overflow(), path).toBeLessThanOrEqual(0)
      expect(await smallControls(), path).toEqual([])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await findings(), `${path}, ${colorScheme}`).toEqual([])
      }
    }
    await page.setViewportSize({ width: 390, height: 400 })
    await page.getByRole('link', { name: 'Edit mvrv is above 1.2' }).click()
    const heading = page.getByRole('heading', { name: 'Change the alert' })
    await expect.poll(() => heading.evaluate((one) => one.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0)
  })

  test('without an account one can try, and learns to sign in; a tier says what it allows', async () => {
    const settings = { ...withoutLimits, ...mail }
    const tiered = await serve(chain.dataDir, settings, { passwordCost: cheapPasswords, ...inside })
    try {
      await page.goto(`${tiered.url}/alerts?watch=mvrv`)
      await field('Level').fill('1')
      await page.getByText('60 of 430 days.').waitFor()
      expect(await button('Create alert').count()).toBe(0)
      expect(await page.getByRole('link', { name: 'sign in', exact: true }).getAttribute('href')).toBe('/account')

      await page.goto(`${tiered.url}/alerts?watch=sopr`)
      await field('Level').fill('1')
      await page.getByText('You see these values with an account of tier pro.').waitFor()
      expect(await page.getByText(/It would|needs/).count()).toBe(0)

      const cookie = await signIn(tiered, chain.dataDir, 'ada@example.org')
      const [name = '', value = ''] = cookie.split('=')
      await page.context().addCookies([{ name, value, url: tiered.url }])
      await page.reload()
      await page.getByText('Webhooks need tier pro.').waitFor()
      for (let level = 1; level <= 5; level++) await create(tiered.url, above(level), cookie)
      await page.reload()
      await page.getByText('You have 5 alerts, as many as tier free allows.').waitFor()
      await expect.poll(() => items().count()).toBe(5)
      expect(await button('Create alert').count()).toBe(0)
    } finally {
      await tiered.close()
    }
  })

  test('the browser reported nothing except refused requests', () => {
    expect(complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([])
  })
})
