import { useState } from 'preact/hooks'
import { type Account, type ActionRow, act } from '../../data/accounts.ts'
import { Bar } from '../../parts/bar.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { ago, writeCount } from '../../parts/numbers.ts'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Revoke } from '../../parts/revoke.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { withConfirmation } from './confirm.tsx'
import { formatDate, RowTitle } from './row-list.tsx'

type Key = ActionRow<'GET /v1/keys'>

const exampleAddress = new URL('v1/series?metrics=mvrv&limit=7', document.baseURI).href

export function Keys({ account }: { readonly account: Account }) {
  const { value: keys, retry, failure } = useAnswer(() => act('GET /v1/keys'), [account.email])
  const [created, setCreated] = useState<ActionRow<'POST /v1/keys'>>()
  const create = async ({ name = '', days = '', networks = '', data = '' }: Readonly<Record<string, string>>) => {
    const limits = {
      ...(networks.trim() !== '' && { networks: networks.trim().split(/[\s,]+/) }),
      ...(data.trim() !== '' && { request: dataRequest(data) }),
    }
    const body = { name, limits, ...(days !== '' && { expires_in_days: Number(days) }) }
    setCreated((await withConfirmation(() => act('POST /v1/keys', { body })))[0])
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
          title={isLink(created) ? 'Your new link.' : 'Your new key.'}
          secret={isLink(created) ? new URL(`p/${created.key}.csv`, document.baseURI).href : created.key}
          copyLabel={isLink(created) ? 'Copy link' : 'Copy key'}
          {...(!isLink(created) && { command: `curl -H 'Authorization: Bearer ${created.key}' '${exampleAddress}'` })}
          onClose={() => setCreated(undefined)}
        />
      )}
      {failure}
      {keys?.length === 0 && <p>No keys yet.</p>}
      {keys !== undefined && keys.length > 0 && (
        <ul class="rows">
          {activeFirst(keys).map((key) => {
            const { id, name, created_at, last_used_at, expires_at, revoked_at, limits, requests_today: used } = key
            return (
              <li key={id} class={isActive(key) ? undefined : 'ended'}>
                <RowTitle name={name}>
                  <code>{id}…</code> made {formatDate(created_at)}
                  {revoked_at !== null && `, revoked ${formatDate(revoked_at)}`}
                  {revoked_at === null &&
                    expires_at !== null &&
                    `, ${isExpired(key) ? 'expired' : 'expires'} ${formatDate(expires_at)}`}
                  {limits?.networks && `, only from ${limits.networks.join(', ')}`}
                  {limits?.request && `, only for ${limits.request}`}
                </RowTitle>
                <p class="muted">{last_used_at === null ? 'Never used' : `Used ${ago(last_used_at, Date.now())}`}</p>
                <div class="uses">
                  <p>
                    {writeCount(used)} <span class="muted">today</span>
                  </p>
                  <Bar share={used > 0 ? Math.max(0.005, used / account.requests_per_day) : 0} />
                </div>
                {isActive(key) && (
                  <Revoke name={name} onRevoke={() => act('DELETE /v1/keys/{id}', { id }).then(retry)} />
                )}
              </li>
            )
          })}
        </ul>
      )}
      {account.tier === 'free' ? (
        <p>Keys need tier pro or enterprise. The operator of this service assigns tiers. Assistants need no key.</p>
      ) : (
        <Form action="Create key" isMain onSubmit={create} clears>
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
            <Field label="Networks" name="networks" optional hint="Such as 192.0.2.0/24; everywhere, if empty" />
            <Field label="Only for" name="data" optional hint="Such as /v1/prices: a link for a spreadsheet" />
          </div>
        </Form>
      )}
    </section>
  )
}

/** Path and query of an address of this service, which may be below a path. */
function dataRequest(address: string): string {
  const { pathname, search } = new URL(address.trim(), document.baseURI)
  return pathname.replace(/^.*(?=\/v1\/)/, '') + search
}

const isLink = ({ limits }: Pick<Key, 'limits'>): boolean => limits?.request !== undefined

/** Stable, so that each group stays newest first. */
const activeFirst = (keys: readonly Key[]): readonly Key[] =>
  [...keys].sort((a, b) => Number(!isActive(a)) - Number(!isActive(b)))

const isExpired = ({ expires_at }: Key): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now()
const isActive = (key: Key): boolean => key.revoked_at === null && !isExpired(key)
