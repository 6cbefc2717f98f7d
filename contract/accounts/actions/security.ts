import { z } from 'zod'
import { changePasswordBody, codeBody, newPasskeyBody } from '../bodies.ts'
import { accountRow, codesRow, passkeyCreationRow, passkeyRow, recoveryCodesRow } from '../rows.ts'
import { confirmed, create, get, guessable, idPath, list, post, remove, removedRow } from './defaults.ts'

export const securityActions = {
  account: {
    ...get,
    path: '/v1/account',
    summary: 'The account that is signed in',
    row: accountRow,
  },
  deleteAccount: {
    ...remove,
    path: '/v1/account',
    summary: `Delete the account with its keys, for good; ${confirmed}`,
    row: z.strictObject({ email: z.string() }),
  },
  changePassword: {
    ...guessable,
    path: '/v1/account/password',
    summary: 'Change the password, which ends all other sessions',
    body: changePasswordBody,
    row: accountRow,
  },
  startCodes: {
    ...post,
    path: '/v1/account/codes',
    summary: `Begin to use one-time codes of an app as second factor; ${confirmed}`,
    row: codesRow,
    status: 201,
  },
  confirmCodes: {
    ...guessable,
    path: '/v1/account/codes/confirmation',
    summary: 'Confirm a code of the app; signing in then needs a code. Returns recovery codes',
    body: codeBody,
    row: recoveryCodesRow,
  },
  removeCodes: {
    ...remove,
    path: '/v1/account/codes',
    summary: `Sign in without one-time codes again; ${confirmed}`,
    row: accountRow,
  },
  renewRecoveryCodes: {
    ...post,
    path: '/v1/account/recovery-codes',
    summary: `Replace the recovery codes; ${confirmed}`,
    row: recoveryCodesRow,
    status: 201,
  },
  passkeys: {
    ...list,
    path: '/v1/passkeys',
    summary: 'Passkeys of the account, newest first',
    row: passkeyRow,
  },
  startPasskey: {
    ...post,
    path: '/v1/passkeys/registration',
    summary: `What a browser needs to make a passkey; ${confirmed}`,
    row: passkeyCreationRow,
    status: 201,
  },
  addPasskey: {
    ...create,
    path: '/v1/passkeys',
    summary: 'Save a passkey that a browser created',
    body: newPasskeyBody,
    row: passkeyRow,
  },
  removePasskey: {
    ...remove,
    path: '/v1/passkeys/{id}',
    summary: `Forget a passkey; ${confirmed}`,
    pathParameters: idPath('AbCdEfGh'),
    row: removedRow,
  },
} as const
