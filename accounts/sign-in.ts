import type { Express } from 'express'
import { type AccountDesk, type Guard, refuseWeakPassword } from '#api/account/account-service.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { lookUpLinkBody, passkeySignInBody, signInBody, signUpBody, takeLinkBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { paths } from '#contract/paths.ts'
import type { Account } from './accounts.ts'

/** Adds how people come in: signing up and in, links of the operator, and out again. */
export function addSignIn(desk: AccountDesk): void {
  const { accounts, sessions, links, factors, passkeys, passwords, attempts, calls, cookie, signUp } = desk.services

  desk.add(accountActions.access, async (request) => {
    const { tier, isUnlimited, by, accountId } = calls.of(request).caller
    const account =
      by === 'session' && !isUnlimited && accountId !== undefined ? await accounts.get(accountId) : undefined
    return [
      {
        access: isUnlimited ? 'open' : 'tiered',
        tier,
        email: account?.email ?? null,
        sign_up: signUp,
        passkeys: desk.allowsPasskeys(request),
      },
    ]
  })

  desk.add(accountActions.signUp, async (request) => {
    if (signUp !== 'open') throw new ApiError('sign_up_closed', closedSignUp[signUp])
    const { email, password } = parseBody(signUpBody, request.body)
    refuseWeakPassword('password', password, email)
    const address = desk.addressOf(request)
    attempts.count({ address })
    attempts.count({ email })
    attempts.countSignUp(address)
    await passwords.inEqualTime(() => accounts.signUp(email, password, address))
    return [{ email }]
  })

  desk.add(accountActions.signIn, async (request, response) => {
    const { email, password, code } = parseBody(signInBody, request.body)
    const address = desk.addressOf(request)
    attempts.count({ address })
    attempts.count({ email })
    const account = await passwords.inEqualTime(async () => {
      const found = await accounts.signIn(email, password, address)
      if (!found) throw new ApiError('invalid_credentials', 'the e-mail address or the password is wrong')
      if (await factors.isOn(found.id)) await checkCode(found, code)
      return found
    })
    await desk.startSession(request, response, account)
    return [await desk.shownAccount(account, Date.now())]
  })

  /** Throws `second_factor_needed` without a code, `invalid_credentials` for one that does not hold. */
  const checkCode = async (account: Account, code: string | undefined): Promise<void> => {
    if (code === undefined) {
      throw new ApiError('second_factor_needed', 'also send the code of your authenticator app, or a recovery code')
    }
    if (await factors.take(account.id, code)) return
    throw new ApiError('invalid_credentials', 'the code is wrong, too old or already used: use the next one')
  }

  desk.add(accountActions.passkeyChallenge, async (request) => [
    {
      challenge: await passkeys.challenge(),
      rpId: desk.passkeySite(request).site,
      userVerification: 'required',
      timeout: 300_000,
    },
  ])
  desk.add(accountActions.passkeySignIn, async (request, response) => {
    const site = desk.passkeySite(request)
    const { credential } = parseBody(passkeySignInBody, request.body)
    attempts.count({ address: desk.addressOf(request) })
    const id = await passkeys.signIn(credential, site)
    const account = id === undefined ? undefined : await accounts.get(id)
    if (!account) throw new ApiError('invalid_credentials', 'this passkey is unknown here, or its answer is not valid')
    await desk.startSession(request, response, account)
    return [await desk.shownAccount(account, Date.now())]
  })

  desk.add(accountActions.lookUpLink, async (request) => {
    const { token } = parseBody(lookUpLinkBody, request.body)
    attempts.count({ address: desk.addressOf(request) })
    const { id, email } = await accountOfLink(await links.look(token, 'password'))
    return [{ email, is_invitation: !(await accounts.hasAnyPassword(id)) }]
  })
  desk.add(accountActions.takeLink, async (request, response) => {
    const { token, password } = parseBody(takeLinkBody, request.body)
    const address = desk.addressOf(request)
    attempts.count({ address })
    const account = await accountOfLink(await links.look(token, 'password'))
    refuseWeakPassword('password', password, account.email)
    const hash = await passwords.hash(password, address)
    // Only now, so that a service that is busy does not use the link up.
    await accountOfLink(await links.take(token, 'password'))
    await accounts.setPasswordHash(account.id, hash)
    await sessions.endAll(account.id)
    const needsCode = await factors.isOn(account.id)
    if (!needsCode) await desk.startSession(request, response, account)
    return [{ email: account.email, signed_in: !needsCode }]
  })
  const accountOfLink = async (id: number | undefined): Promise<Account> => {
    const account = id === undefined ? undefined : await accounts.get(id)
    if (account) return account
    throw new ApiError(
      'not_found',
      'this link was already used or has expired: ask the operator of this service for a new one',
    )
  }

  desk.add(accountActions.signOut, async (request, response) => {
    const { token } = await desk.signedIn(request)
    await sessions.end(token)
    cookie.clear(request, response)
    return [{ ended: 1 }]
  })
}

const closedSignUp = {
  invited: 'accounts are by invitation: ask the operator of this service for a link',
  off: 'this service creates no accounts',
} as const

const usedLink =
  'this link was already used or has expired: it works once, within a day. Stop the service and start it again (npm start, or coinstrata start) for a new one'

/** For people, who come by browser. */
const usedLinkPage = (home: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>This link does not work any more</title>
<h1>This link does not work any more</h1>
<p>It was already used, or has expired: it works once, within a day. The browser that opened it first is still signed in.</p>
<p>For a new link, stop the service and start it again: <code>npm start</code> in a checkout, otherwise <code>coinstrata start</code>.</p>
<p><a href="${home}">Go on without it</a>: the last 60 days of basic metrics are open to everyone.</p>
</html>
`

/**
 * Adds the link that `start` prints on made-up data: it signs a browser in with everything open, once, and leads to the
 * first page, which is below `basePath`.
 */
export function addWelcome(app: Express, desk: AccountDesk, guard: Guard, basePath: string): void {
  const { accounts, links, attempts, cookie, sessions } = desk.services
  app.get(
    paths.welcome.replace('{token}', ':token'),
    ...guard(paths.welcome, 0.1, 'address'),
    async (request, response) => {
      response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
      if (request.method === 'HEAD') return void response.status(204).end()
      attempts.count({ address: desk.addressOf(request) })
      const id = await links.take(String(request.params.token), 'trial')
      const account = id === undefined ? undefined : await accounts.get(id)
      const token = cookie.read(request)
      const isSignedIn = token !== undefined && (await sessions.look(token)) !== undefined
      if (account) await desk.startSession(request, response, account)
      else if (!isSignedIn) {
        if (request.accepts(['json', 'html']) !== 'html') throw new ApiError('not_found', usedLink)
        response.status(404).set('Content-Security-Policy', "default-src 'none'")
        return void response.type('html').send(usedLinkPage(`${basePath}/`))
      }
      response.redirect(303, `${basePath}/`)
    },
  )
}
