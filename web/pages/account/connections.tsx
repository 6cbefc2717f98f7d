import { type Account, act } from '../../data/accounts.ts'
import { ago } from '../../parts/numbers.ts'
import { formatDate } from './keys.tsx'
import { RowList } from './listed.tsx'
import { Revoke } from './revoke.tsx'

const remark =
  'Assistants that you have allowed to see data with your rights. Revoking ends that at once; the app can ask again.'

/** Apps that see data with the rights of the account; nothing where there are none. */
export const Connections = ({ account }: { readonly account: Account }) => (
  <RowList id="connections" title="Connected apps" remark={remark} account={account} action="GET /v1/connections">
    {({ id, client_name, redirect_host, tier, created_at, last_used_at }, again) => (
      <li key={id}>
        <div>
          <h3>{client_name}</h3>
          <p class="muted">
            by way of {redirect_host}, connected {formatDate(created_at)}
          </p>
        </div>
        <p class="muted">tier {tier}</p>
        <p class="muted">{last_used_at === null ? 'never used' : `used ${ago(last_used_at, Date.now())}`}</p>
        <Revoke name={client_name} onRevoke={() => act('DELETE /v1/connections/{id}', { id }).then(again)} />
      </li>
    )}
  </RowList>
)
