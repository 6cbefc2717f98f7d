import { z } from 'zod'
import { changePasswordBody, codeBody, newPasskeyBody } from '../bodies.ts'
import { accountLogRow, accountRow, codesRow, passkeyCreationRow, passkeyRow, recoveryCodesRow } from '../rows.ts'
import { confirmed, create, get, guessable, idPath, list, post, remove, removedRow } from './defaults.ts'

export const securityActions = {
  account: get('/v1/account', 'The account that is signed in', accountRow),
  accountLog: list('/v1/account/log', 'The newest changes of the account within a year (at most 1,000)', accountLogRow),
  deleteAccount: remove(
    '/v1/account',
    `Delete the account with its keys, for good; ${confirmed}`,
    z.strictObject({ email: z.string() }),
  ),
  changePassword: guessable('/v1/account/password', 'Change the password, which ends all other sessions', accountRow, {
    body: changePasswordBody,
  }),
  startCodes: post(
    '/v1/account/codes',
    `Begin to use one-time codes of an app as second factor; ${confirmed}`,
    codesRow,
    { status: 201 },
  ),
  confirmCodes: guessable(
    '/v1/account/codes/confirmation',
    'Confirm a code of the app; signing in then needs a code. Returns recovery codes',
    recoveryCodesRow,
    { body: codeBody },
  ),
  removeCodes: remove('/v1/account/codes', `Sign in without one-time codes again; ${confirmed}`, accountRow),
  renewRecoveryCodes: post('/v1/account/recovery-codes', `Replace the recovery codes; ${confirmed}`, recoveryCodesRow, {
    status: 201,
  }),
  passkeys: list('/v1/passkeys', 'Passkeys of the account, newest first', passkeyRow),
  startPasskey: post(
    '/v1/passkeys/registration',
    `What a browser needs to make a passkey; ${confirmed}`,
    passkeyCreationRow,
    { status: 201 },
  ),
  addPasskey: create('/v1/passkeys', 'Save a passkey that a browser created', passkeyRow, { body: newPasskeyBody }),
  removePasskey: remove('/v1/passkeys/{id}', `Forget a passkey; ${confirmed}`, removedRow, {
    pathParameters: idPath('AbCdEfGh'),
  }),
} as const
