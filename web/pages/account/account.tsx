import { route } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { type Account, access, account, act, reloadAccount, useAccount } from '../../data/accounts.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Form } from '../../parts/form.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { ago } from '../../parts/numbers.ts'
import { Revoke } from '../../parts/revoke.tsx'
import { Assistants } from './assistants.tsx'
import { Confirm } from './confirm.tsx'
import { Keys } from './keys.tsx'
import { formatDate, RowList, RowTitle } from './row-list.tsx'
import { Security } from './security.tsx'
import { OneTimeLink, SignIn } from './sign-in.tsx'
import { Usage } from './usage.tsx'

const Webhooks = lazy(async () => (await import('./webhooks.tsx')).Webhooks)

export function AccountPage() {
  useTitle('Account')
  const { error, retry } = useAccount()
  const token = new URLSearchParams(route.value.hash).get('link')
  if (error !== undefined) return <Failed error={error} retry={retry} />
  if (access.value?.access === 'open')
    return (
      <div class="account">
        <h1>No account needed</h1>
        <p>Everything is open to everyone who reaches this service (ACCESS=open).</p>
        <Assistants isOpen={true} />
      </div>
    )
  if (token !== null) return <OneTimeLink token={token} />
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
        <Form action="Sign out" onSubmit={signOut} />
      </div>
      <Keys account={current} />
      <Assistants />
      <Connections account={current} />
      <Webhooks account={current} />
      <Pictures account={current} />
      <Usage account={current} />
      <Security account={current} />
      <Changes account={current} />
      <Confirm />
    </div>
  )
}

const connectionsRemark =
  'Assistants that you have allowed to see data with your rights. Revoking ends that at once; the app can ask again.'

const Connections = ({ account }: { readonly account: Account }) => (
  <RowList
    id="connections"
    title="Connected apps"
    remark={connectionsRemark}
    account={account}
    action="GET /v1/connections"
  >
    {({ id, client_name, redirect_host, tier, created_at, last_used_at }, again) => (
      <li key={id}>
        <RowTitle name={client_name}>
          through {redirect_host}, connected {formatDate(created_at)}
        </RowTitle>
        <p class="muted">tier {tier}</p>
        <p class="muted">{last_used_at === null ? 'never used' : `used ${ago(last_used_at, Date.now())}`}</p>
        <Revoke name={client_name} onRevoke={() => act('DELETE /v1/connections/{id}', { id }).then(again)} />
      </li>
    )}
  </RowList>
)

const picturesRemark =
  'Anyone who has one sees the chart with your access rights, and each view counts as your request. To create one, use “Save or share” on a chart.'

const Pictures = ({ account }: { readonly account: Account }) => (
  <RowList
    id="pictures"
    title="Addresses of pictures"
    remark={picturesRemark}
    account={account}
    action="GET /v1/pictures"
  >
    {({ id, name, created_at, png_url }, again) => (
      <li key={id}>
        <RowTitle name={name}>made {formatDate(created_at)}</RowTitle>
        <a class="pill" href={png_url} target="_blank" rel="noopener">
          Look<span class="hidden"> at {name}</span>
        </a>
        <CopyButton text={png_url}>Copy address</CopyButton>
        <Revoke name={name} onRevoke={() => act('DELETE /v1/pictures/{id}', { id }).then(again)} />
      </li>
    )}
  </RowList>
)

const changesRemark = 'Of rights, keys, factors and settings within a year.'

const Changes = ({ account }: { readonly account: Account }) => (
  <RowList id="changes" title="Changes" remark={changesRemark} account={account} action="GET /v1/account/log">
    {({ created_at, change, detail, actor, address }) => (
      <li key={created_at + detail}>
        <RowTitle name={change}>{detail}</RowTitle>
        <p class="muted">{`${ago(created_at, Date.now())}, by ${actor} ${address ?? ''}`}</p>
      </li>
    )}
  </RowList>
)
