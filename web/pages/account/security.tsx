import { useState } from 'preact/hooks'
import { go } from '../../app/router.ts'
import { type Account, access, act, readAccount, reloadAccount } from '../../data/accounts.ts'
import { Field, Form } from '../../parts/form.tsx'
import { ago } from '../../parts/numbers.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Codes } from './codes.tsx'
import { withConfirmation } from './confirm.tsx'
import { createPasskey, supportsPasskeys } from './passkeys.ts'
import { formatDate, RowTitle } from './row-list.tsx'
import { NewPassword } from './sign-in.tsx'

export function Security({ account }: { readonly account: Account }) {
  return (
    <section aria-labelledby="security">
      <h2 id="security">Security</h2>
      {account.has_password && <Password />}
      {account.has_password && <Codes account={account} />}
      <Passkeys account={account} />
      <Sessions account={account} />
      <Deletion account={account} />
    </section>
  )
}

function Password() {
  const [isDone, setDone] = useState(false)
  const change = async ({ password = '', next = '' }: Readonly<Record<string, string>>) => {
    await act('POST /v1/account/password', { body: { password, new_password: next } })
    await readAccount()
    setDone(true)
  }
  return (
    <details>
      <summary>Change the password</summary>
      <Form action="Change the password" clears onSubmit={change}>
        <Field label="Current password" name="password" type="password" autocomplete="current-password" />
        <NewPassword name="next" label="New password" />
      </Form>
      {isDone && <p role="status">Your new password is set, and all other sessions have ended.</p>}
    </details>
  )
}

function Passkeys({ account }: { readonly account: Account }) {
  const { value, retry } = useAnswer(() => act('GET /v1/passkeys'), [account.email])
  const mayAdd = access.value?.passkeys && supportsPasskeys()
  const change = async (work: () => Promise<unknown>) => {
    await withConfirmation(work)
    await readAccount()
    retry()
  }
  return (
    <details>
      <summary>Passkeys ({account.passkeys})</summary>
      <p class="muted">A passkey signs you in with the fingerprint, face or PIN of your device, without a password.</p>
      {value !== undefined && value.length > 0 && (
        <ul class="rows">
          {value.map(({ id, name, created_at, last_used_at }) => (
            <li key={id}>
              <RowTitle name={name}>made {formatDate(created_at)}</RowTitle>
              <p class="muted">{last_used_at === null ? 'Never used' : `Used ${ago(last_used_at, Date.now())}`}</p>
              <Form action="Remove" onSubmit={() => change(() => act('DELETE /v1/passkeys/{id}', { id }))} />
            </li>
          ))}
        </ul>
      )}
      {mayAdd ? (
        <Form action="Add a passkey" clears onSubmit={({ name = '' }) => change(() => createPasskey(name))}>
          <Field label="Name" name="name" autocomplete="off" hint="Name of the device, for example phone" />
        </Form>
      ) : (
        <p class="muted">Passkeys work only if this service has an https address, or at http://localhost.</p>
      )}
    </details>
  )
}

function Sessions({ account }: { readonly account: Account }) {
  const { value, retry, failure } = useAnswer(() => act('GET /v1/sessions'), [account.email])
  const others = (value ?? []).filter(({ is_current }) => !is_current)
  return (
    <details>
      <summary>Sessions{value && ` (${value.length})`}</summary>
      {failure}
      <ul class="rows">
        {value?.map(({ id, is_current, user_agent, created_at, last_used_at }) => (
          <li key={id}>
            <RowTitle name={browserName(user_agent)}>signed in {formatDate(created_at)}</RowTitle>
            <p class="muted">{is_current ? 'This one' : `Used ${ago(last_used_at, Date.now())}`}</p>
            {!is_current && <Form action="End" onSubmit={() => act('DELETE /v1/sessions/{id}', { id }).then(retry)} />}
          </li>
        ))}
      </ul>
      {others.length > 1 && <Form action="End all others" onSubmit={() => act('DELETE /v1/sessions').then(retry)} />}
    </details>
  )
}

function Deletion({ account }: { readonly account: Account }) {
  const remove = async ({ email = '' }: Readonly<Record<string, string>>) => {
    if (email.trim().toLowerCase() !== account.email) throw new Error(`Type ${account.email} to delete this account`)
    await withConfirmation(() => act('DELETE /v1/account'))
    await reloadAccount()
    go('/')
  }
  return (
    <details>
      <summary>Delete the account</summary>
      <p>Its keys stop working at once, and all that it has is deleted. This cannot be undone.</p>
      <Form action="Delete the account" onSubmit={remove}>
        <Field label="Type your e-mail address" name="email" type="text" autocomplete="off" />
      </Form>
    </details>
  )
}

/** Browser and system, if the user agent names them. */
function browserName(agent: string): string {
  const browser = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'].find((name) => agent.includes(`${name}/`))
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'].find((name) => agent.includes(name))
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
  const known = [browser && (names[browser] ?? browser), system].filter((name) => name !== undefined)
  return known.length > 0 ? known.join(' on ') : agent.slice(0, 40) || 'Unknown browser'
}
