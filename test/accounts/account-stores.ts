import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { computeCode } from '#accounts/one-time-codes.ts'
import type { AccountStores } from '#accounts/services.ts'
import { Authenticator } from '../api/support/authenticator.ts'
import { password } from '../api/support/test-server.ts'

const everyTenMinutes = 600_000
const site = { origin: 'https://example.org', site: 'example.org' }

/** Tests for every database; `open` opens the same one several times, as several processes do. */
export function testAccountStores(open: () => Promise<AccountStores>): void {
  const account = async (stores: AccountStores, name: string) =>
    (await stores.accounts.create(`${name}@example.org`, 'pro', password))!

  test('an address has one account, and passwords sign in to it', async () => {
    const [one, other] = [await open(), await open()]
    const { id } = await account(one, 'One')
    expect(await other.accounts.create('ONE@example.org', 'free')).toBeUndefined()
    await other.accounts.signUp('one@example.org', 'another password', 'test')
    expect(await other.accounts.find('one@example.org')).toMatchObject({ id, email: 'one@example.org', tier: 'pro' })
    expect((await other.accounts.signIn('one@example.org', password, 'test'))?.id).toBe(id)
    expect(await other.accounts.signIn('one@example.org', 'another password', 'test')).toBeUndefined()
    expect((await other.accounts.setTier('one@example.org', 'enterprise')).tier).toBe('enterprise')
    expect((await one.accounts.list()).map(({ email }) => email)).toContain('one@example.org')
    await expect(one.accounts.require('nobody@example.org')).rejects.toThrow('there is no account')
  })

  test('keys are listed newest first, counted with their use, and end when they are revoked', async () => {
    const { accounts, keys } = await open()
    const { id } = (await accounts.create('keys@example.org', 'pro'))!
    const made = [await keys.create(id, 'a'), await keys.create(id, 'b', Date.now() + everyTenMinutes)]
    expect(await keys.create(id, 'c', undefined, 2)).toBeUndefined()
    const [first, second] = made.map((one) => one!)
    expect(await keys.check(first!.key)).toEqual({
      id: first!.record.id,
      accountId: id,
      tier: 'pro',
      request: undefined,
    })
    expect(await keys.check(second!.key, undefined, Date.now() + 2 * everyTenMinutes)).toMatchObject({
      problem: 'expired',
    })
    expect((await keys.list(id)).map(({ name }) => name)).toEqual(['b', 'a'])
    await expect.poll(async () => (await keys.list(id))[1]?.last_used_at).not.toBeNull()
    expect(await keys.revoke(first!.record.id, id + 1)).toBeUndefined()
    expect((await keys.revoke(first!.record.id))?.revoked_at).not.toBeNull()
    expect(await keys.check(first!.key)).toMatchObject({ problem: 'revoked' })
    expect(await keys.revoke(first!.record.id)).toBeUndefined()
  })

  test('an account has no more keys in force than it may, also when they are asked for at once', async () => {
    const [one, other] = [await open(), await open()]
    const { id } = (await one.accounts.create('rush@example.org', 'pro'))!
    const asked = Array.from({ length: 8 }, (_, i) => [one, other][i % 2]!.keys.create(id, `${i}`, undefined, 3))
    expect((await Promise.all(asked)).filter((made) => made)).toHaveLength(3)
  })

  test('sessions hold until they end', async () => {
    const { accounts, sessions } = await open()
    const { id } = (await accounts.create('sessions@example.org', 'free'))!
    const [here, there] = [await sessions.start(id, 'browser'), await sessions.start(id)]
    expect(await sessions.find(here)).toMatchObject({ account_id: id, tier: 'free' })
    await sessions.confirm(here)
    expect((await sessions.findUncached(here))!.confirmed_at).toBeGreaterThan(Date.now() - 60_000)
    const listed = await sessions.list(id, here)
    expect(listed.map(({ is_current }) => is_current).sort()).toEqual([false, true])
    const { id: thereId } = listed.find(({ is_current }) => !is_current)!
    expect(thereId).toMatch(/^[0-9a-f]{16}$/)
    expect([await sessions.endById(id + 1, thereId), await sessions.endById(id, thereId)]).toEqual([false, true])
    expect(await sessions.find(there)).toBeUndefined()
    expect([await sessions.endAll(id, here), await sessions.endAll(id)]).toEqual([0, 1])
    expect(await sessions.find(here)).toBeUndefined()
  })

  test('links and codes hold once', async () => {
    const [one, other] = [await open(), await open()]
    const { id } = await account(one, 'once')
    const [void_, link] = [await one.links.create(id, 'password'), await one.links.create(id, 'password')]
    expect([await other.links.find(void_, 'password'), await other.links.find(link, 'password')]).toEqual([
      undefined,
      id,
    ])
    const taken = await Promise.all([one, other, one, other].map(({ links }) => links.redeem(link, 'password')))
    expect(taken.filter((found) => found !== undefined)).toEqual([id])

    const secret = Buffer.from((await one.factors.begin(id))!)
    const step = Math.floor(Date.now() / 30_000)
    expect(await one.factors.isOn(id)).toBe(false)
    const codes = (await one.factors.confirm(id, computeCode(secret, step - 1)))!
    expect([await other.factors.isOn(id), await other.factors.begin(id)]).toEqual([true, undefined])
    const twice = await Promise.all([one, other].map(({ factors }) => factors.redeem(id, computeCode(secret, step))))
    expect(twice.sort()).toEqual([false, true])
    expect([await one.factors.redeem(id, codes[0]!), await other.factors.redeem(id, codes[0]!)]).toEqual([true, false])
    expect(await one.factors.recoveryCodesLeft(id)).toBe(9)
    expect(await one.factors.renewRecoveryCodes(id)).toHaveLength(10)
    expect(await one.factors.redeem(id, codes[1]!)).toBe(false)
    await one.factors.remove(id)
    expect([await one.factors.isOn(id), await one.factors.recoveryCodesLeft(id)]).toEqual([false, 0])
  })

  test('one key encrypts the secrets of one-time codes, also when two processes need the first at once', async () => {
    const [one, other] = [await open(), await open()]
    const [first, second] = [await account(one, 'first.secret'), await account(one, 'second.secret')]
    const secrets = await Promise.all([one.factors.begin(first.id), other.factors.begin(second.id)])
    await one.factors.prepareKey()
    for (const [i, { id }] of [first, second].entries()) {
      const code = computeCode(secrets[i]!, Math.floor(Date.now() / 30_000))
      expect(await [other, one][i]!.factors.confirm(id, code)).toHaveLength(10)
    }
  })

  test('a passkey that one process asked for is taken by another, once', async () => {
    const [one, other] = [await open(), await open()]
    const { id } = await account(one, 'passkey')
    const authenticator = new Authenticator()
    const registration = authenticator.register({ ...site, challenge: await one.passkeys.createChallenge(id) })
    expect(await other.passkeys.add(id + 1, 'x', registration, site)).toBeUndefined()
    const again = authenticator.register({ ...site, challenge: await one.passkeys.createChallenge(id) })
    expect(await other.passkeys.add(id, 'laptop', again, site)).toMatchObject({ name: 'laptop', last_used_at: null })
    const assertion = authenticator.assert({ ...site, challenge: await other.passkeys.createChallenge(), signCount: 7 })
    expect([await one.passkeys.signIn(assertion, site), await one.passkeys.signIn(assertion, site)]).toEqual([
      id,
      undefined,
    ])
    const [passkey] = await one.passkeys.list(id)
    expect(passkey!.last_used_at).not.toBeNull()
    expect([await one.passkeys.remove(id, passkey!.id), await one.passkeys.remove(id, passkey!.id)]).toEqual([
      true,
      false,
    ])
  })

  test('pictures and boards are shared until their owner ends it', async () => {
    const { accounts, pictures, boards } = await open()
    const { id } = (await accounts.create('pictures@example.org', 'pro'))!
    const request = { metrics: [{ id: 'price' }] }
    const picture = (await pictures.add(id, 'price', request))!
    expect(await pictures.find(picture.id)).toEqual({ account_id: id, tier: 'pro', request })
    expect(await pictures.list(id)).toEqual([picture])
    expect([await pictures.remove(id, picture.id), await pictures.find(picture.id)]).toEqual([true, undefined])

    expect(await boards.read(id)).toEqual({ content: { title: '', charts: [] }, share: null })
    await boards.share(id)
    await boards.write(id, { title: 'Mine', charts: [] })
    const { share } = await boards.read(id)
    expect(await boards.findShared(share!)).toEqual({ title: 'Mine', charts: [] })
    await boards.unshare(id)
    expect(await boards.findShared(share!)).toBeUndefined()
  })

  test('a code of an app is redeemed once, also when two ask at once; a refresh token that comes again ends all', async () => {
    const [one, other] = [await open(), await open()]
    const { id } = await account(one, 'app')
    const app = { client_id: 'client', client_name: 'App', redirect_uri: 'https://app.example/' }
    const resource = 'https://chain.example/mcp/account'
    const code_challenge = hash('sha256', 'verifier', 'base64url')
    const grant = { ...app, account_id: id, resource, tier: 'pro', may_refresh: true, code_challenge } as const
    const raced = (await one.grants.add(grant))!
    const outcomes = await Promise.allSettled(
      [one, other].map(({ tokens }) => tokens.redeem(raced, 'verifier', undefined, app)),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    // Who came second may have been a thief.
    expect(await one.grants.list(id)).toEqual([])

    const code = (await one.grants.add(grant))!
    expect(await one.tokens.findOwner(code)).toBe(id)
    const issued = await one.tokens.redeem(code, 'verifier', undefined, app)
    expect(await other.tokens.check(issued.access_token)).toMatchObject({ accountId: id, tier: 'pro', resource })
    expect(await one.grants.list(id)).toMatchObject([{ client_name: 'App', tier: 'pro' }])
    const next = await other.tokens.refresh(issued.refresh_token!, app)
    await expect(one.tokens.refresh(issued.refresh_token!, app)).rejects.toThrow('was used before')
    expect(await one.tokens.check(next.access_token)).toBeUndefined()
  })

  test('a link replaces an account that nobody has verified, with all that it has, and only that', async () => {
    const [one, other] = [await open(), await open()]
    const stranger = await one.accounts.signUp('unverified@example.org', password, 'test')
    expect(stranger.verified_at).toBeNull()
    const { key } = (await one.keys.create(stranger.id, 'x'))!
    const token = await one.sessions.start(stranger.id)
    await one.boards.share(stranger.id)
    await one.webhooks.add(stranger.id, { name: 'x', url: 'https://example.org/', events: [] })
    const told = await other.accounts.setTier('unverified@example.org', 'pro')
    expect(told).toEqual({ ...stranger, tier: 'pro' })
    const owner = (await other.accounts.setPasswordByLink(stranger.id, 'hash'))!
    expect(owner).toMatchObject({ email: stranger.email, tier: 'pro', created_at: stranger.created_at })
    expect([owner.id === stranger.id, owner.verified_at === null]).toEqual([false, false])
    const late = await open()
    expect([await late.keys.check(key), await late.sessions.find(token)]).toEqual([{ problem: 'unknown' }, undefined])
    expect(await late.webhooks.list(owner.id)).toEqual([])
    // What was under way for the account of before fails.
    const started = late.sessions.start(stranger.id)
    await expect(started).rejects.toThrow(/foreign key/i)
    expect(await late.accounts.setPasswordByLink(stranger.id, 'hash')).toBeUndefined()

    const kept = (await late.keys.create(owner.id, 'x'))!
    expect(await late.accounts.setPasswordByLink(owner.id, 'hash')).toEqual(owner)
    expect(await late.keys.check(kept.key)).toMatchObject({ accountId: owner.id })
    const known = await late.accounts.signUp('unverified@example.org', undefined, 'test')
    expect(known).toEqual(owner)
    const friend = await late.accounts.signUp('friend@example.org', password, 'test')
    const trusted = await late.accounts.setTier('friend@example.org', 'pro', true)
    expect(trusted.verified_at).not.toBeNull()
    expect((await late.accounts.setPasswordByLink(friend.id, 'hash'))?.id).toBe(friend.id)
    expect(await late.accounts.setTier('friend@example.org', 'free')).toEqual({ ...trusted, tier: 'free' })
  })

  test('with an account goes all that belongs to it, or nothing', async () => {
    const stores = await open()
    const { id } = await account(stores, 'gone')
    const { key } = (await stores.keys.create(id, 'x'))!
    const token = await stores.sessions.start(id)
    await stores.passkeys.createChallenge(id)
    await stores.pictures.add(id, 'x', {})
    await stores.webhooks.add(id, { name: 'x', url: 'https://example.org/', events: [] })
    await stores.accounts.remove(id)
    expect(await stores.accounts.get(id)).toBeUndefined()
    expect(await stores.keys.check(key)).toEqual({ problem: 'unknown' })
    expect(await stores.sessions.find(token)).toBeUndefined()
  })
}
