import { route } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { access, account, act, reloadAccount } from '../../data/accounts.ts'
import { Failed } from '../../parts/failed.tsx'
import { Form } from '../../parts/form.tsx'
import { Assistants } from './assistants.tsx'
import { Confirm } from './confirm.tsx'
import { Connections } from './connections.tsx'
import { Keys } from './keys.tsx'
import { Link } from './link.tsx'
import { NoAccounts } from './no-accounts.tsx'
import { Pictures } from './pictures.tsx'
import { Security } from './security.tsx'
import { SignIn } from './sign-in.tsx'
import { Usage } from './usage.tsx'
import { useAccount } from './use-reader.ts'
import { Webhooks } from './webhooks.tsx'

/** Keys, usage and security of who is signed in; for others the way in. */
export function AccountPage() {
  useTitle('Account')
  const { error, retry } = useAccount()
  const token = new URLSearchParams(route.value.hash).get('link')
  if (error !== undefined) return <Failed error={error} retry={retry} />
  if (access.value?.access === 'open')
    return <NoAccounts title="No account needed">There are no accounts to sign in to.</NoAccounts>
  if (token !== null) return <Link token={token} />
  const current = account.value
  if (current === undefined) return null
  if (current === null) return <SignIn />
  const signOut = async () => {
    await act('DELETE /v1/sessions/current')
    await reloadAccount()
  }
  return (
    <div class="account">
      <div class="who">
        <div>
          <h1>Account</h1>
          <p class="muted">
            {current.email}, tier {current.tier}
          </p>
        </div>
        <Form action="Sign out" isMain={false} onSubmit={signOut} />
      </div>
      <Keys account={current} />
      <Assistants />
      <Connections account={current} />
      <Webhooks account={current} />
      <Pictures account={current} />
      <Usage account={current} />
      <Security account={current} />
      <Confirm />
    </div>
  )
}
