import { accountActions } from '#contract/accounts/actions.ts'
import { changePasswordBody, codeBody, confirmBody, newPasskeyBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { type AddAction, refuseWeakPassword, removal } from './account-call.ts'
import { base32, otpauthUrl } from './one-time-codes.ts'
import { maxPasskeys } from './passkeys.ts'
import type { AccountServices } from './services.ts'

/** COSE numbers of ES256, EdDSA and RS256. */
const signatureAlgorithms = [-7, -8, -257]

/** Endpoints for password, second factor, passkeys, sessions, deletion. */
export function addSecurity(add: AddAction, services: AccountServices): void {
  const { accounts, accountLog, keys, sessions, tokens, factors, passkeys, passwords, counters, attempts } = services

  add.signedIn(accountActions.account, async ({ account, confirmedAt }, call) => [
    await call.describe(account, confirmedAt),
  ])
  add.signedIn(accountActions.accountLog, async ({ account }) =>
    (await accountLog.list(account.id)).map(({ email: _, ...line }) => line),
  )
  add.confirmed(accountActions.deleteAccount, async ({ account }, call) => {
    await accounts.remove(account.id)
    for (const stores of [keys, sessions, tokens]) stores.clearCache()
    counters.forget(account.id)
    call.request.setToken(undefined)
    return [{ email: account.email }]
  })

  add.signedIn(accountActions.confirm, async ({ account, token }, call) => {
    const given = parseBody(confirmBody, call.request.body)
    const address = call.address
    attempts.count({ address })
    attempts.count({ accountId: account.id })
    const isConfirmed =
      'password' in given
        ? await passwords.inConstantTime(() => accounts.hasPassword(account.id, given.password, address))
        : (await passkeys.signIn(given.credential, call.passkeySite())) === account.id
    if (!isConfirmed)
      throw new ApiError('invalid_credentials', 'this is neither the password nor a passkey of this account')
    await sessions.confirm(token)
    return [await call.describe(account, Date.now())]
  })
  add.signedIn(accountActions.changePassword, async ({ account, token }, call) => {
    const { password, new_password } = parseBody(changePasswordBody, call.request.body)
    refuseWeakPassword('new_password', new_password, account.email)
    const address = call.address
    attempts.count({ address })
    attempts.count({ accountId: account.id })
    await passwords.inConstantTime(async () => {
      if (await accounts.hasPassword(account.id, password, address)) return
      throw new ApiError('invalid_credentials', 'this is not the password of this account')
    })
    await accounts.setPasswordHash(account.id, await passwords.hash(new_password, address))
    await sessions.endAll(account.id, token)
    await call.startSession(account)
    return [await call.describe(account, Date.now())]
  })

  add.confirmed(accountActions.startCodes, async ({ account }) => {
    const secret = await factors.begin(account.id)
    if (!secret) throw new ApiError('forbidden', 'one-time codes are already in use: remove them first')
    return [{ secret: base32(secret), otpauth_url: otpauthUrl(secret, account.email) }]
  })
  add.confirmed(accountActions.confirmCodes, async ({ account }, call) => {
    const { code } = parseBody(codeBody, call.request.body)
    attempts.count({ accountId: account.id })
    const recoveryCodes = await factors.confirm(account.id, code)
    if (!recoveryCodes)
      throw new ApiError('invalid_credentials', 'the code is wrong: use the next one that the app shows')
    return [{ recovery_codes: recoveryCodes }]
  })
  add.confirmed(accountActions.removeCodes, async ({ account }, call) => {
    await factors.remove(account.id)
    return [await call.describe(account, Date.now())]
  })
  add.confirmed(accountActions.renewRecoveryCodes, async ({ account }) => {
    if (!(await factors.isOn(account.id)))
      throw new ApiError('forbidden', 'recovery codes need one-time codes: set those up first')
    return [{ recovery_codes: await factors.renewRecoveryCodes(account.id) }]
  })

  add.signedIn(accountActions.passkeys, ({ account }) => passkeys.list(account.id))
  add.confirmed(accountActions.startPasskey, async ({ account }, call) => {
    const { site } = call.passkeySite()
    const userId = Buffer.alloc(8)
    userId.writeBigUInt64BE(BigInt(account.id))
    return [
      {
        challenge: await passkeys.createChallenge(account.id),
        rp: { id: site, name: 'Coinstrata' },
        user: { id: userId.toString('base64url'), name: account.email, displayName: account.email },
        pubKeyCredParams: signatureAlgorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: (await passkeys.list(account.id)).map(({ id }) => ({ type: 'public-key', id })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
        timeout: 300_000,
      },
    ]
  })
  add.confirmed(accountActions.addPasskey, async ({ account }, call) => {
    const site = call.passkeySite()
    const { name, credential } = parseBody(newPasskeyBody, call.request.body)
    if ((await passkeys.list(account.id)).length >= maxPasskeys) {
      throw new ApiError('forbidden', `an account can have at most ${maxPasskeys} passkeys: remove one first`)
    }
    const passkey = await passkeys.add(account.id, name, credential, site)
    if (!passkey) throw new ApiError('invalid_credentials', 'the passkey did not answer this request: try again')
    return [passkey]
  })
  add.confirmed(accountActions.removePasskey, removal('passkey', accountActions.passkeys, passkeys))

  add.signedIn(accountActions.sessions, ({ account, token }) => sessions.list(account.id, token))
  add.signedIn(accountActions.endOtherSessions, async ({ account, token }) => [
    { ended: await sessions.endAll(account.id, token) },
  ])
  add.signedIn(accountActions.endSession, async ({ account }, call) => {
    if (await sessions.endById(account.id, call.parameter('id'))) return [{ ended: 1 }]
    throw new ApiError('not_found', 'this account has no such session: /v1/sessions lists them')
  })
}
