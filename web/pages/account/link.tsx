import { useState } from 'preact/hooks'
import { go } from '../../app/router.ts'
import { act, reloadAccount } from '../../data/accounts.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { NewPassword, SignIn } from './sign-in.tsx'

/** For who comes by a link of the operator: an invitation, or help for who has lost the password. */
export function Link({ token }: { readonly token: string }) {
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
    // The link has done its work, and need not stay in the history.
    go('/account', { replace: true })
  }
  return (
    <div class="narrow">
      <h1>{link.is_invitation ? 'You are invited' : 'Choose a new password'}</h1>
      <p>
        {link.is_invitation
          ? 'Choose a password for your account. The link works once.'
          : 'This ends all sessions of your account. The link works once.'}
      </p>
      <Form action={link.is_invitation ? 'Accept the invitation' : 'Set the password'} onSubmit={take}>
        <Field label="E-mail address" name="email" type="email" autocomplete="username" value={link.email} readOnly />
        <NewPassword />
      </Form>
    </div>
  )
}
