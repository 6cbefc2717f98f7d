import { useTitle } from '../../app/title.ts'
import { access, account, useAccount } from '../../data/accounts.ts'
import { Failed } from '../../parts/failed.tsx'
import { Assistants } from '../account/assistants.tsx'
import { Confirm } from '../account/confirm.tsx'
import { SignIn } from '../account/sign-in.tsx'
import { Consent } from './consent.tsx'

/** Apps send readers here to grant them access. */
export function ConnectPage() {
  useTitle('Connect an app')
  const { error, retry } = useAccount()
  if (error !== undefined) return <Failed error={error} retry={retry} />
  if (access.value?.access === 'open')
    return (
      <div class="narrow">
        <h1>Nothing to allow</h1>
        <p>Everything is open to everyone who reaches this service (ACCESS=open). Apps need no account.</p>
      </div>
    )
  // Opened without an app's request.
  if (location.search === '') {
    return (
      <div class="account">
        <h1>Connect an app</h1>
        <p>Apps open this page to ask for access, and you decide here. Start in the app.</p>
        <Assistants />
      </div>
    )
  }
  const current = account.value
  if (current === undefined) return null
  if (current === null) return <SignIn note="An app wants to connect to your account. Sign in to see which one." />
  return (
    <div class="narrow">
      <Consent account={current} />
      <Confirm />
    </div>
  )
}
