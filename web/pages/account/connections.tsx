import { type Account, act } from '../../data/accounts.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { ago } from '../../parts/numbers.ts'
import { dayOf } from './keys.tsx'
import { Revoke } from './revoke.tsx'

/** Apps that see data with the rights of the account; nothing where there are none. */
export function Connections({ account }: { readonly account: Account }) {
  const { value: connections, error, retry } = useAnswer(() => act('GET /v1/connections'), [account.email])
  if (error !== undefined && !connections) return <Failed error={error} retry={retry} />
  if (!connections || connections.length === 0) return null
  return (
    <section aria-labelledby="connections">
      <h2 id="connections">Connected apps</h2>
      <p class="muted">
        Assistants that you have allowed to see data with your rights. Revoking ends that at once; the app can ask
        again.
      </p>
      <ul class="rows">
        {connections.map(({ id, client_name, redirect_host, tier, created_at, last_used_at }) => (
          <li key={id}>
            <div>
              <h3>{client_name}</h3>
              <p class="muted">
                by way of {redirect_host}, connected {dayOf(created_at)}
              </p>
            </div>
            <p class="muted">tier {tier}</p>
            <p class="muted">{last_used_at === null ? 'never used' : `used ${ago(last_used_at, Date.now())}`}</p>
            <Revoke name={client_name} onRevoke={() => act('DELETE /v1/connections/{id}', { id }).then(retry)} />
          </li>
        ))}
      </ul>
    </section>
  )
}
