import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createResetLink } from '#accounts/commands.ts'
import { computeCode } from '#accounts/one-time-codes.ts'
import { linkAddress } from '#api/http/service-address.ts'
import { bytesOfBase32 } from '#test/api/support/base32.ts'
import { browser } from '#test/support/browser.ts'
import { chain, complaints, findings, openPages, overflow, page, server } from './support/opened.ts'

const run = promisify(execFile)

async function curl(key: string): Promise<string> {
  const target = `${server.url}/v1/holder/profit?limit=1`
  const { stdout } = await run('curl', [
    '-s',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code}',
    '-H',
    `Authorization: Bearer ${key}`,
    target,
  ])
  return stdout
}

describe.skipIf(!browser)('in a real browser', () => {
  openPages({ WEBHOOKS: 'any' })

  test('by invitation to a key: sign up, second factor, passkey, use and revocation, all through the page', {
    timeout: 60_000,
  }, async () => {
    // Passkeys need a host name.
    const url = server.url.replace('127.0.0.1', 'localhost')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const open = (summary: string) => page.locator('summary', { hasText: summary }).click()
    const isShown = (title: string) => page.getByRole('heading', { name: title, level: 1 }).waitFor()

    page.setDefaultTimeout(15_000)
    await page.goto(`${url}/account`)
    await isShown('Sign in')
    expect(await findings()).toEqual([])
    const place = { DATA_DIR: chain.dataDir, SIGN_UP: 'invited', HOST: 'localhost', PORT: 1, BASE_PATH: '' } as const
    const link =
      (await createResetLink(place, linkAddress(place), 'ada@example.org', 'pro', false)).split('\n')[0] ?? ''
    // Only the fragment changes, so the open page is not reloaded.
    await page.goto(`${url}/account${new URL(link).hash}`)
    await isShown('Choose a password')
    await page.getByLabel('Password').fill('passwordpassword')
    await button('Set the password').click()
    await page.getByText('most common passwords').waitFor()
    await page.getByLabel('Password').fill('quietly four words apart')
    await button('Set the password').click()
    await isShown('Account')
    expect(page.url()).toBe(`${url}/account`)

    await open('Second factor: none')
    await button('Set up an app').click()
    const secret = bytesOfBase32(await page.locator('.enrol .secret').innerText())
    const code = (steps: number) => computeCode(secret, Math.floor(Date.now() / 30_000) + steps)
    await page.getByLabel('The code that the app shows').fill(code(-1))
    await button('Turn codes on').click()
    await page.getByText('Your recovery codes').waitFor()
    expect((await page.locator('.codes').innerText()).split('\n')).toHaveLength(10)

    const authenticator = await page.context().newCDPSession(page)
    await authenticator.send('WebAuthn.enable')
    await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await open('Passkeys (0)')
    await page.locator('details', { hasText: 'Passkeys' }).getByLabel('Name').fill('this browser')
    await button('Add a passkey').click()
    await page.getByText('Passkeys (1)').waitFor()
    await button('Sign out').click()
    await button('Sign in with a passkey').click()
    await isShown('Account')
    await button('Sign out').click()

    await page.getByLabel('E-mail address').fill('ada@example.org')
    await page.getByLabel('Password').fill('quietly four words apart')
    await button('Sign in').click()
    await page.getByLabel('Code from your authenticator app').fill(code(1))
    await button('Sign in').click()
    await isShown('Account')

    await page.getByRole('textbox', { name: 'Name' }).first().fill('laptop')
    await button('Create key').click()
    const key = await page.locator('.made .secret').innerText()
    for (const summary of ['Change the password', 'Second factor', 'Passkeys', 'Sessions', 'Delete'])
      await open(summary)
    expect(await findings()).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflow()).toBeLessThanOrEqual(0)
    expect(key).toMatch(/^cs_[0-9a-f]{12}_[0-9a-f]{48}$/)
    await button('I have saved it').click()
    expect(await page.content()).not.toContain(key)
    expect([await curl(key), await curl(key), await curl(key)]).toEqual(['200', '200', '200'])
    await page.reload()
    const laptop = page.locator('.rows li', { hasText: 'laptop' })
    await laptop.getByText('3 today').waitFor()
    // Three of thousands: the bar has its smallest width, of 100.
    expect(await laptop.locator('.uses .part').getAttribute('width')).toBe('0.5')
    await open('Today by key and endpoint')
    await page.getByRole('row', { name: /^cs_\w+… \/v1\/holder\/profit 3$/ }).waitFor()

    await button('Revoke laptop').click()
    await button('Revoke permanently').click()
    await page.locator('.rows li.ended', { hasText: 'laptop' }).waitFor()
    expect(await curl(key)).toBe('401')
    // Refused on purpose: a common password, and a password without its code.
    expect(complaints.filter((text) => !/the server responded with a status of 40[01]/.test(text))).toEqual([])
  })

  // The following tests run signed in as Ada.

  test('an embedded chart shows on a page elsewhere what everybody sees, without a cookie', async () => {
    const url = server.url.replace('127.0.0.1', 'localhost')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${url}/metrics/mvrv`)
    await page.getByRole('button', { name: 'Save or share' }).click()
    await page.getByLabel('Theme').selectOption('Dark')
    const frame = await page.locator('.snippet', { hasText: 'Embed' }).locator('pre').innerText()
    expect(frame).toMatch(/^<iframe src="http:\/\/localhost:\d+\/embed\/[\w-]+\?theme=dark" title="MVRV" /)
    // Another port is another origin with the same cookies.
    const elsewhere = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>A page elsewhere</title>${frame}`)
    }).listen(0, 'localhost')
    await once(elsewhere, 'listening')
    complaints.length = 0
    const asked: Request[] = []
    const collect = (request: Request): void => void asked.push(request)
    page.on('request', collect)
    try {
      await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`)
      const chart = page.frameLocator('iframe')
      await chart.locator('.picture > svg').waitFor()
      await chart.getByText('Simulated data').waitFor()
      expect(await page.frames()[1]?.evaluate(() => [origin, document.querySelector('h1')?.textContent])).toEqual([
        'null',
        'MVRV',
      ])
      const data = asked.filter((request) => new URL(request.url()).pathname.startsWith('/v1/'))
      const cookies = await Promise.all(data.map(async (request) => (await request.allHeaders()).cookie))
      expect(new Set(cookies)).toEqual(new Set([undefined]))
      const series = data.find((request) => request.url().includes('metrics=mvrv'))
      const meta = await (await series?.response())?.headerValue('x-coinstrata-meta')
      expect(meta).toContain('history_limited_to')
      const link = await chart.getByRole('link', { name: 'Coinstrata' }).getAttribute('href')
      await page.goto(url + link)
      await page.getByRole('heading', { name: 'MVRV', level: 1 }).waitFor()
      await page.locator('.picture > svg').waitFor()
      expect(complaints).toEqual([])
    } finally {
      page.off('request', collect)
      elsewhere.close()
    }
  })

  test('an address of a picture is made in a chart, shows it to everybody, and is revoked on the page of the account', async () => {
    const url = server.url.replace('127.0.0.1', 'localhost')
    await page.goto(`${url}/metrics/nupl?range=1y`)
    await page.getByRole('button', { name: 'Save or share' }).click()
    await page.getByText('Others cannot see it without a key: it needs tier pro.').waitFor()
    await page.getByRole('button', { name: 'Create an address' }).click()
    const image = await page.locator('.snippet', { hasText: 'Picture for other pages' }).locator('pre').innerText()
    const address = /^<img src="([^"]+)" alt="NUPL" width="1200"/.exec(image)?.[1] ?? ''
    const picture = await fetch(address)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    await page.goto(`${url}/account`)
    await page.getByRole('button', { name: 'Revoke NUPL' }).click()
    await page.getByRole('button', { name: 'Revoke permanently' }).click()
    await page.getByRole('heading', { name: 'Addresses of pictures' }).waitFor({ state: 'detached' })
    expect((await fetch(address)).status).toBe(404)
  })

  test('a webhook is added, tried, given a new secret and removed on the page of the account', async () => {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    let status = 204
    const receiver = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    try {
      const section = page.locator('section', { has: page.getByRole('heading', { name: 'Webhooks' }) })
      await section.getByText('Add a webhook').click()
      await section.getByLabel('Name').fill('ticker')
      await section.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`)
      await section.getByLabel('The data of the open day has changed').check()
      await button('Add webhook').click()
      const secret = await section.locator('.secret').innerText()
      expect(secret).toMatch(/^whsec_/)
      const row = section.locator('li')
      await row.getByText('for generation, today').waitFor()
      expect(await findings()).toEqual([])
      await button('I have saved it').click()
      expect(await page.content()).not.toContain(secret)
      await button('Send a test').click()
      await row.getByText('The test was accepted.').waitFor()
      status = 500
      await button('Send a test').click()
      await row.getByText('The test failed: it answered 500').waitFor()
      await button('New secret').click()
      await section.locator('.secret').waitFor()
      expect(await section.locator('.secret').innerText()).not.toBe(secret)
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflow()).toBeLessThanOrEqual(0)
      await page.setViewportSize({ width: 1440, height: 900 })
      await button('Revoke ticker').click()
      await button('Revoke permanently').click()
      await row.waitFor({ state: 'detached' })
    } finally {
      receiver.close()
      receiver.closeAllConnections()
    }
  })

  test('charts are pinned, put in order and removed by keys and mouse, and go along into the account, which shares them', async () => {
    const url = server.url.replace('127.0.0.1', 'localhost')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const titles = () => page.locator('.board h2').allTextContents()
    await button('Sign out').click()
    await button('Sign in with a passkey').waitFor()
    for (const id of ['mvrv', 'price', 'lth_supply']) {
      await page.goto(`${url}/metrics/${id}`)
      await button('Save or share').click()
      await button('Pin to the board').click()
      await page.getByRole('link', { name: 'Pinned: open the board' }).waitFor()
    }
    await page.getByRole('link', { name: 'Pinned: open the board' }).click()
    await page.locator('.board .picture > svg').nth(2).waitFor()
    const [mvrv, price, supply] = await titles()
    expect([mvrv, price]).toEqual(['MVRV', 'Price'])
    expect(
      await findings(['color-contrast', 'button-name', 'nested-interactive', 'list', 'aria-hidden-focus']),
    ).toEqual([])

    await button('Move Price earlier').press('Enter')
    expect(await titles()).toEqual([price, mvrv, supply])
    // The moved chart keeps the focus on a button that is still enabled.
    expect(await button('Move Price later').evaluate((one) => one === document.activeElement)).toBe(true)
    await page.getByText('Price is number 1 of 3 now.').waitFor({ state: 'attached' })
    const middleOf = async (place: number): Promise<readonly [x: number, y: number]> => {
      const { x, y, width, height } = (await page.locator('.grip').nth(place).boundingBox())!
      return [x + width / 2, y + height / 2]
    }
    await page.mouse.move(...(await middleOf(0)))
    await page.mouse.down()
    await page.mouse.move(...(await middleOf(1)), { steps: 2 })
    await page.mouse.up()
    await expect.poll(titles).toEqual([mvrv, price, supply])
    const [from, to] = [await middleOf(1), await middleOf(0)]
    // Never detached, because that would remove the authenticator.
    const hand = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...[at]: readonly (readonly [number, number])[]) =>
      hand.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [{ x: at[0], y: at[1] }] : [] })
    await touch('touchStart', from)
    await touch('touchMove', [(from[0] + to[0]) / 2, from[1] + 4])
    await touch('touchMove', to)
    await touch('touchEnd')
    await expect.poll(titles).toEqual([price, mvrv, supply])

    await button('Move Price later').press('Enter')
    await expect.poll(titles).toEqual([mvrv, price, supply])
    await button(`Move ${supply} earlier`).press('Enter')
    await expect.poll(titles).toEqual([mvrv, supply, price])

    await button(`Remove ${supply}`).press('Enter')
    await expect.poll(titles).toEqual([mvrv, price])
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toMatch(/undo|put .*back|restore/i)
    await page.keyboard.press('Enter')
    await expect.poll(titles).toEqual([mvrv, supply, price])

    await page.goto(`${url}/account`)
    await button('Sign in with a passkey').click()
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await page.goto(`${url}/board`)
    await page.getByRole('heading', { name: 'Share this board' }).waitFor()
    expect(await titles()).toEqual([mvrv, supply, price])
    expect(await page.evaluate(() => localStorage.getItem('board'))).toBe(null)
    await page.getByLabel('Title').fill('Mine')
    await button('Share it').click()
    await button('Stop sharing').waitFor()
    const shared = await page.locator('.sharing .secret').innerText()
    const visitor = await page.context().browser()!.newPage()
    await visitor.goto(shared)
    await visitor.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
    await visitor.locator('.board .picture > svg').first().waitFor()
    expect(await visitor.locator('.board h2').allTextContents()).toEqual([mvrv, supply, price])
    expect(
      await visitor
        .locator('.board')
        .getByRole('button', { name: /Remove|Move|Undo/ })
        .count(),
    ).toBe(0)
    await button('Stop sharing').click()
    await button('Share it').waitFor()
    await visitor.reload()
    await visitor.getByText('this board is not shared', { exact: false }).waitFor()
    await visitor.close()

    // Each tab shows the other's changes and does not undo them.
    const tab = await page.context().newPage()
    await tab.goto(`${url}/board`)
    await tab.getByRole('button', { name: 'Move Price earlier', exact: true }).click()
    await expect.poll(titles, { timeout: 5_000 }).toEqual([mvrv, price, supply])
    await page.bringToFront()
    await button('Move Price earlier').press('Enter')
    await expect
      .poll(() => tab.locator('.board h2').allTextContents(), { timeout: 5_000 })
      .toEqual([price, mvrv, supply])
    await tab.close()
  })
})
