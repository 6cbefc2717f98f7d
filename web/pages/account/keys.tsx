import { useState } from 'preact/hooks'
import { type Account, type ActionRow, act } from '../../data/accounts.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { ago, writeCount } from '../../parts/numbers.ts'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Revoke } from '../../parts/revoke.tsx'
import { withConfirmation } from './confirm.tsx'
import { formatDate } from './row-list.tsx'

type Key = ActionRow<'GET /v1/keys'>

const exampleAddress = new URL('v1/series?metrics=mvrv&limit=7', document.baseURI).href

export function Keys({ account }: { readonly account: Account }) {
  const { value: keys, error, retry } = useAnswer(() => act('GET /v1/keys'), [account.email])
  const [created, setCreated] = useState<string>()
  const create = async ({ name = '', days = '' }: Readonly<Record<string, string>>) => {
    const [key] = await withConfirmation(() =>
      act('POST /v1/keys', { body: { name, ...(days !== '' && { expires_in_days: Number(days) }) } }),
    )
    setCreated(key?.key)
    retry()
  }
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      <p class="muted">
        Programs send a key with each request. Only its hash is stored, so it is shown once. A revoked key stops working
        at once.
      </p>
      {created !== undefined && (
        <OneTimeSecret
          title="Your new key."
          secret={created}
          copyLabel="Copy key"
          command={`curl -H 'Authorization: Bearer ${created}' '${exampleAddress}'`}
          onClose={() => setCreated(undefined)}
        />
      )}
      {error !== undefined && !keys && <Failed error={error} retry={retry} />}
      {keys?.length === 0 && <p>No keys yet.</p>}
      {keys !== undefined && keys.length > 0 && (
        <ul class="rows">
          {activeFirst(keys).map((key) => (
            <KeyRow key={key.id} record={key} limit={account.requests_per_day} onChange={retry} />
          ))}
        </ul>
      )}
      {account.tier === 'free' ? (
        <p>Keys need tier pro or enterprise. The operator of this service assigns tiers. Assistants need no key.</p>
      ) : (
        <Form action="Create key" onSubmit={create} clears>
          <div class="side">
            <Field label="Name" name="name" autocomplete="off" hint="What will use it, for example laptop" />
            <Field
              label="Expires after days"
              name="days"
              type="number"
              min={1}
              max={3650}
              optional
              hint="Never, if empty"
            />
          </div>
        </Form>
      )}
    </section>
  )
}

interface KeyRowProps {
  readonly record: Key
  readonly limit: number
  readonly onChange: () => void
}

function KeyRow({ record, limit, onChange }: KeyRowProps) {
  const { id, name, created_at, last_used_at, expires_at, revoked_at, requests_today } = record
  const mayRevoke = isActive(record)
  return (
    <li class={mayRevoke ? undefined : 'ended'}>
      <div>
        <h3>{name}</h3>
        <p class="muted">
          <code>{id}…</code> made {formatDate(created_at)}
          {revoked_at !== null && `, revoked ${formatDate(revoked_at)}`}
          {revoked_at === null &&
            expires_at !== null &&
            `, ${isExpired(record) ? 'expired' : 'expires'} ${formatDate(expires_at)}`}
        </p>
      </div>
      <p class="muted">{last_used_at === null ? 'Never used' : `Used ${ago(last_used_at, Date.now())}`}</p>
      <RequestBar count={requests_today} limit={limit} />
      {mayRevoke && <Revoke name={name} onRevoke={() => act('DELETE /v1/keys/{id}', { id }).then(onChange)} />}
    </li>
  )
}

/** Stable, so that each group stays newest first. */
const activeFirst = (keys: readonly Key[]): readonly Key[] =>
  [...keys].sort((a, b) => Number(!isActive(a)) - Number(!isActive(b)))

const isExpired = ({ expires_at }: Key): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now()
const isActive = (key: Key): boolean => key.revoked_at === null && !isExpired(key)

/** Today's requests as a share of the daily limit. */
function RequestBar({ count, limit }: { readonly count: number; readonly limit: number }) {
  const share = Math.min(1, count / limit)
  return (
    <div class="uses">
      <p>
        {writeCount(count)} <span class="muted">today</span>
      </p>
      <svg viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
        <rect class="all" width="100" height="3" />
        <rect class="some" width={count > 0 ? Math.max(0.5, 100 * share) : 0} height="3" />
      </svg>
    </div>
  )
}
