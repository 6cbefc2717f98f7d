import { type AccountDesk, isoTime, optionalTime, refuseWeakPassword } from '#api/account/account-service.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { changePasswordBody, codeBody, confirmBody, newPasskeyBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { base32, otpauthUrl } from './one-time-codes.ts'
import { mostPasskeys, type Passkey } from './passkeys.ts'

/** COSE numbers of ES256, EdDSA and RS256. */
const signatureAlgorithms = [-7, -8, -257]

/** Adds what keeps an account its owner's: password, second factor, passkeys, sessions, and the end of it all. */
export function addSecurity(desk: AccountDesk): void {
  const { accounts, keys, sessions, tokens, factors, passkeys, passwords, counters, attempts, cookie } = desk.services

  desk.add(accountActions.account, async (request) => {
    const { account, confirmedAt } = await desk.signedIn(request)
    return [await desk.shownAccount(account, confirmedAt)]
  })
  desk.add(accountActions.deleteAccount, async (request, response) => {
    const { account } = await desk.confirmed(request)
    await accounts.remove(account.id)
    for (const stores of [keys, sessions, tokens]) stores.forgetRemembered()
    counters.forget(account.id)
    cookie.clear(request, response)
    return [{ email: account.email }]
  })

  desk.add(accountActions.confirm, async (request) => {
    const { account, token } = await desk.signedIn(request)
    const given = parseBody(confirmBody, request.body)
    const address = desk.addressOf(request)
    attempts.count({ address })
    attempts.count({ accountId: account.id })
    const holds =
      'password' in given
        ? await passwords.inEqualTime(() => accounts.hasPassword(account.id, given.password, address))
        : (await passkeys.signIn(given.credential, desk.passkeySite(request))) === account.id
    if (!holds) throw new ApiError('invalid_credentials', 'this is neither the password nor a passkey of this account')
    await sessions.confirm(token)
    return [await desk.shownAccount(account, Date.now())]
  })
  desk.add(accountActions.changePassword, async (request, response) => {
    const { account, token } = await desk.signedIn(request)
    const { password, new_password } = parseBody(changePasswordBody, request.body)
    refuseWeakPassword('new_password', new_password, account.email)
    const address = desk.addressOf(request)
    attempts.count({ address })
    attempts.count({ accountId: account.id })
    await passwords.inEqualTime(async () => {
      if (await accounts.hasPassword(account.id, password, address)) return
      throw new ApiError('invalid_credentials', 'this is not the password of this account')
    })
    await accounts.setPasswordHash(account.id, await passwords.hash(new_password, address))
    await sessions.endAll(account.id, token)
    await desk.startSession(request, response, account)
    return [await desk.shownAccount(account, Date.now())]
  })

  desk.add(accountActions.startCodes, async (request) => {
    const { account } = await desk.confirmed(request)
    const secret = await factors.begin(account.id)
    if (!secret) throw new ApiError('forbidden', 'one-time codes are already in use: remove them first')
    return [{ secret: base32(secret), otpauth_url: otpauthUrl(secret, account.email) }]
  })
  desk.add(accountActions.confirmCodes, async (request) => {
    const { account } = await desk.confirmed(request)
    const { code } = parseBody(codeBody, request.body)
    attempts.count({ accountId: account.id })
    const recoveryCodes = await factors.confirm(account.id, code)
    if (!recoveryCodes)
      throw new ApiError('invalid_credentials', 'the code is wrong: use the next one that the app shows')
    return [{ recovery_codes: recoveryCodes }]
  })
  desk.add(accountActions.removeCodes, async (request) => {
    const { account } = await desk.confirmed(request)
    await factors.remove(account.id)
    return [await desk.shownAccount(account, Date.now())]
  })
  desk.add(accountActions.renewRecoveryCodes, async (request) => {
    const { account } = await desk.confirmed(request)
    if (!(await factors.isOn(account.id)))
      throw new ApiError('forbidden', 'recovery codes need one-time codes: set those up first')
    return [{ recovery_codes: await factors.renewRecoveryCodes(account.id) }]
  })

  desk.add(accountActions.passkeys, async (request) =>
    (await passkeys.list((await desk.signedIn(request)).account.id)).map(shownPasskey),
  )
  desk.add(accountActions.startPasskey, async (request) => {
    const { account } = await desk.confirmed(request)
    const { site } = desk.passkeySite(request)
    const id = Buffer.alloc(8)
    id.writeBigUInt64BE(BigInt(account.id))
    return [
      {
        challenge: await passkeys.challenge(account.id),
        rp: { id: site, name: 'Coinstrata' },
        user: { id: id.toString('base64url'), name: account.email, displayName: account.email },
        pubKeyCredParams: signatureAlgorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: (await passkeys.list(account.id)).map((passkey) => ({
          type: 'public-key',
          id: passkey.id,
        })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
        timeout: 300_000,
      },
    ]
  })
  desk.add(accountActions.addPasskey, async (request) => {
    const { account } = await desk.confirmed(request)
    const site = desk.passkeySite(request)
    const { name, credential } = parseBody(newPasskeyBody, request.body)
    if ((await passkeys.list(account.id)).length >= mostPasskeys) {
      throw new ApiError('forbidden', `an account can have at most ${mostPasskeys} passkeys: remove one first`)
    }
    const passkey = await passkeys.add(account.id, name, credential, site)
    if (!passkey) throw new ApiError('invalid_credentials', 'the passkey did not answer this request: try again')
    return [shownPasskey(passkey)]
  })
  desk.add(accountActions.removePasskey, async (request) => {
    const { account } = await desk.confirmed(request)
    const id = String(request.params.id)
    if (await passkeys.remove(account.id, id)) return [{ id }]
    throw new ApiError('not_found', 'this account has no such passkey: /v1/passkeys lists them')
  })

  desk.add(accountActions.sessions, async (request) => {
    const { account, token } = await desk.signedIn(request)
    return (await sessions.list(account.id, token)).map(
      ({ id, isCurrent, user_agent, created_at, last_used_at, expires_at }) => ({
        id,
        is_current: isCurrent,
        user_agent,
        created_at: isoTime(created_at),
        last_used_at: isoTime(last_used_at),
        expires_at: isoTime(expires_at),
      }),
    )
  })
  desk.add(accountActions.endOtherSessions, async (request) => {
    const { account, token } = await desk.signedIn(request)
    return [{ ended: await sessions.endAll(account.id, token) }]
  })
  desk.add(accountActions.endSession, async (request) => {
    const { account } = await desk.signedIn(request)
    if (await sessions.endById(account.id, String(request.params.id))) return [{ ended: 1 }]
    throw new ApiError('not_found', 'this account has no such session: /v1/sessions lists them')
  })
}

const shownPasskey = ({ id, name, created_at, last_used_at }: Passkey) => ({
  id,
  name,
  created_at: isoTime(created_at),
  last_used_at: optionalTime(last_used_at),
})
