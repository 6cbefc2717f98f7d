import { useState } from 'preact/hooks'
import { go } from '../../app/router.ts'
import { access, act, hasErrorCode, reloadAccount } from '../../data/accounts.ts'
import { Failed } from '../../parts/failed.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { signWithPasskey, supportsPasskeys } from './passkeys.ts'

export function SignIn({ email = '', note }: { readonly email?: string; readonly note?: string }) {
  const [isNew, setNew] = useState(false)
  const [wasMade, setMade] = useState(false)
  const mayJoin = access.value?.sign_up === 'open'
  const isByMail = access.value?.sign_up_mail === true
  return (
    <div class="narrow">
      <h1>{isNew ? 'Create an account' : 'Sign in'}</h1>
      {note && <p>{note}</p>}
      {wasMade && <p role="status">{isByMail ? mailed : signedUp}</p>}
      {isNew ? (
        <SignUp
          isByMail={isByMail}
          onDone={() => {
            setNew(false)
            setMade(true)
          }}
        />
      ) : (
        <Password email={email} />
      )}
      {!isNew && access.value?.passkeys && supportsPasskeys() && (
        <Form action="Sign in with a passkey" onSubmit={signInByPasskey} />
      )}
      <p class="muted">
        {mayJoin ? (
          <button type="button" class="plain link" onClick={() => setNew(!isNew)}>
            {isNew ? 'I have an account' : 'Create an account'}
          </button>
        ) : (
          closed[access.value?.sign_up ?? 'off']
        )}{' '}
        Without one, the last 60 days of the basic metrics are open.
      </p>
      {!isNew && (
        <p class="muted">
          {isByMail && 'Password lost? “Create an account” mails you a link for a new one. '}
          {isByMail ? 'Authenticator app' : 'Password or authenticator app'} lost? Ask the operator of this service for
          a link: <code>coinstrata accounts reset-link</code>
        </p>
      )}
    </div>
  )
}

const signedUp = 'If that address had no account yet, it has one now: sign in with it.'
const mailed = 'Check your mail: the link in it lets you choose a password, once and within 30 minutes.'
const closed: Readonly<Record<string, string>> = {
  open: '',
  invited: 'Accounts are by invitation: ask the operator of this service for a link.',
  off: 'This service accepts no new accounts.',
}

function Password({ email }: { readonly email: string }) {
  const [needsCode, setNeedsCode] = useState(false)
  const signIn = async ({ email: given = '', password = '', code }: Readonly<Record<string, string>>) => {
    try {
      await act('POST /v1/sessions', { body: { email: given, password, ...(code !== undefined && { code }) } })
    } catch (error) {
      if (!hasErrorCode(error, 'second_factor_needed')) throw error
      return setNeedsCode(true)
    }
    await reloadAccount()
  }
  return (
    <Form action="Sign in" isMain onSubmit={signIn}>
      <Field label="E-mail address" name="email" type="email" autocomplete="username" value={email} takesFocus />
      <Field label="Password" name="password" type="password" autocomplete="current-password" />
      {needsCode && (
        <Field
          label="Code from your authenticator app"
          name="code"
          autocomplete="one-time-code"
          hint="Or one of your recovery codes."
          takesFocus
        />
      )}
    </Form>
  )
}

async function signInByPasskey(): Promise<void> {
  await act('POST /v1/sessions/passkey', { body: { credential: await signWithPasskey() } })
  await reloadAccount()
}

function SignUp({ isByMail, onDone }: { readonly isByMail: boolean; readonly onDone: () => void }) {
  const signUp = async ({ email = '', password }: Readonly<Record<string, string>>) => {
    await act('POST /v1/accounts', { body: { email, password } })
    onDone()
  }
  return (
    <Form action="Create an account" isMain onSubmit={signUp}>
      <Field label="E-mail address" name="email" type="email" autocomplete="username" takesFocus />
      {!isByMail && <NewPassword />}
    </Form>
  )
}

export const NewPassword = ({ name = 'password', label = 'Password' }) => (
  <Field
    label={label}
    name={name}
    type="password"
    autocomplete="new-password"
    minLength={12}
    hint="12 characters or more. Four unrelated words work well."
  />
)

/** Page for links from the operator or a mail, which set a password. */
export function OneTimeLink({ token }: { readonly token: string }) {
  const { value, error } = useAnswer(() => act('POST /v1/one-time-links/lookup', { body: { token } }), [token])
  const [needsSignIn, setNeedsSignIn] = useState(false)
  const link = value?.[0]
  if (needsSignIn) return <SignIn email={link?.email ?? ''} note="Your new password is set. Sign in with it." />
  if (error !== undefined) return <Failed error={error} />
  if (!link) return null
  const take = async ({ password = '' }: Readonly<Record<string, string>>) => {
    const [taken] = await act('POST /v1/one-time-links', { body: { token, password } })
    if (!taken?.signed_in) return setNeedsSignIn(true)
    await reloadAccount()
    // Remove the used link from the history.
    go('/account', { replace: true })
  }
  return (
    <div class="narrow">
      <h1>Choose a {link.is_invitation ? '' : 'new '}password</h1>
      <p>
        The link works once.{' '}
        {!link.is_invitation && 'It ends all sessions, and empties an account that nobody verified.'}
      </p>
      <Form action="Set the password" isMain onSubmit={take}>
        <Field label="E-mail address" name="email" type="email" autocomplete="username" value={link.email} readOnly />
        <NewPassword />
      </Form>
    </div>
  )
}
