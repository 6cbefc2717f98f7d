import { accountActions } from '#contract/accounts/actions.ts'
import { lookUpLinkBody, passkeySignInBody, signInBody, signUpBody, takeLinkBody } from '#contract/accounts/bodies.ts'
import { ApiError, invalidParameter } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { type AddAction, refuseWeakPassword } from './account-call.ts'
import type { Account } from './accounts.ts'
import type { AccountServices } from './services.ts'
import { parsePasskeySite } from './webauthn.ts'

/** Endpoints for signing up, in and out, and links from the operator. */
export function addSignIn(add: AddAction, services: AccountServices): void {
  const { accounts, keys, sessions, tokens, links, factors, passkeys, passwords, attempts, signUp } = services
  const mailer = signUp === 'open' ? services.mailer : undefined

  add.open(accountActions.access, async (call) => {
    const { tier, isUnlimited, by, accountId } = call.request.caller
    const account =
      by === 'session' && !isUnlimited && accountId !== undefined ? await accounts.get(accountId) : undefined
    return [
      {
        access: isUnlimited ? 'open' : 'tiered',
        tier,
        email: account?.email ?? null,
        sign_up: signUp,
        sign_up_mail: mailer !== undefined,
        passkeys: parsePasskeySite(call.request.serviceOrigin) !== undefined,
        alert_channels: services.alertChannels,
      },
    ]
  })

  add.open(accountActions.signUp, async (call) => {
    if (signUp !== 'open') throw new ApiError('sign_up_closed', signUpClosed[signUp])
    const { email, password } = parseBody(signUpBody, call.request.body)
    if (mailer ? password !== undefined : password === undefined)
      throw invalidParameter('password', mailer ? 'is chosen with the link in the mail: leave it out' : 'is missing')
    if (password !== undefined) refuseWeakPassword('password', password, email)
    const address = call.address
    attempts.count({ address })
    attempts.count({ email })
    attempts.countSignUp({ address })
    if (mailer) attempts.countSignUp({ email })
    await passwords.inConstantTime(async () => {
      const account = await accounts.signUp(email, password, address)
      if (mailer) await mailLink(call.request.serviceUrl, account)
    })
    return [{ email }]
  })

  const mailLink = async (serviceUrl: string, { id, email, verified_at }: Account) => {
    const link = `${serviceUrl}/account#link=${await links.create(id, 'password', true)}`
    const use =
      verified_at === null
        ? 'To open it, choose a password'
        : 'You already have an account: sign in. If you have lost its password, choose a new one'
    const text = `Somebody, probably you, asked ${serviceUrl} for an account with your address.
${use} here, once and within 30 minutes:

${link}

If you did not ask for it, ignore this mail.
`
    await mailer?.sendMail({ to: email, subject: `Your account at ${new URL(link).host}`, text })
  }

  add.open(accountActions.signIn, async (call) => {
    const { email, password, code } = parseBody(signInBody, call.request.body)
    const address = call.address
    attempts.count({ address })
    attempts.count({ email })
    const account = await passwords.inConstantTime(async () => {
      const found = await accounts.signIn(email, password, address)
      if (!found) throw new ApiError('invalid_credentials', 'the e-mail address or the password is wrong')
      if (await factors.isOn(found.id)) await checkCode(found, code)
      return found
    })
    await call.startSession(account)
    return [await call.describe(account, Date.now())]
  })

  /** Throws `second_factor_needed` without a code, `invalid_credentials` for an invalid one. */
  const checkCode = async (account: Account, code: string | undefined): Promise<void> => {
    if (code === undefined) {
      throw new ApiError('second_factor_needed', 'also send the code of your authenticator app, or a recovery code')
    }
    if (await factors.redeem(account.id, code)) return
    throw new ApiError('invalid_credentials', 'the code is wrong, too old or already used: use the next one')
  }

  add.open(accountActions.passkeyChallenge, async (call) => [
    {
      challenge: await passkeys.createChallenge(),
      rpId: call.passkeySite().site,
      userVerification: 'required',
      timeout: 300_000,
    },
  ])
  add.open(accountActions.passkeySignIn, async (call) => {
    const site = call.passkeySite()
    const { credential } = parseBody(passkeySignInBody, call.request.body)
    attempts.count({ address: call.address })
    const id = await passkeys.signIn(credential, site)
    const account = id === undefined ? undefined : await accounts.get(id)
    if (!account) throw new ApiError('invalid_credentials', 'this passkey is unknown here, or its answer is not valid')
    await call.startSession(account)
    return [await call.describe(account, Date.now())]
  })

  add.open(accountActions.lookUpLink, async (call) => {
    const { token } = parseBody(lookUpLinkBody, call.request.body)
    attempts.count({ address: call.address })
    const { id, email } = await requireLinkAccount(await links.find(token, 'password'))
    return [{ email, is_invitation: !(await accounts.hasAnyPassword(id)) }]
  })
  add.open(accountActions.takeLink, async (call) => {
    const { token, password } = parseBody(takeLinkBody, call.request.body)
    const address = call.address
    attempts.count({ address })
    const { email } = await requireLinkAccount(await links.find(token, 'password'))
    refuseWeakPassword('password', password, email)
    const hash = await passwords.hash(password, address)
    // Only now: an overloaded service does not use up the link.
    const id = await links.redeem(token, 'password')
    const account = await requireLinkAccount(id, (known) => accounts.setPasswordByLink(known, hash))
    await sessions.endAll(account.id)
    for (const stores of [keys, tokens]) stores.clearCache()
    const needsCode = await factors.isOn(account.id)
    if (!needsCode) await call.startSession(account)
    return [{ email: account.email, signed_in: !needsCode }]
  })
  const requireLinkAccount = async (id?: number, read = (known: number) => accounts.get(known)): Promise<Account> => {
    const account = id === undefined ? undefined : await read(id)
    if (account) return account
    throw new ApiError(
      'not_found',
      'this link was already used or has expired: ask the operator of this service for a new one',
    )
  }

  add.signedIn(accountActions.signOut, async ({ token }, call) => {
    await sessions.end(token)
    call.request.setToken(undefined)
    return [{ ended: 1 }]
  })
}

const signUpClosed = {
  invited: 'accounts are by invitation: ask the operator of this service for a link',
  off: 'this service creates no accounts',
} as const
