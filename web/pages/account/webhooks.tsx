import { useState } from 'preact/hooks'
import type { EventName } from '#contract/events.ts'
import { type Account, type ActionRow, act } from '../../data/accounts.ts'
import { Field, Form } from '../../parts/form.tsx'
import { ago } from '../../parts/numbers.ts'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Revoke } from '../../parts/revoke.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { withConfirmation } from './confirm.tsx'

type Webhook = ActionRow<'GET /v1/webhooks'>

const eventTexts: readonly (readonly [EventName, string])[] = [
  ['generation', 'New daily data is published'],
  ['today', 'The data of the open day has changed'],
  ['market', 'A snapshot of the markets was taken'],
]

export function Webhooks({ account }: { readonly account: Account }) {
  const { value: webhooks, retry, failure } = useAnswer(() => act('GET /v1/webhooks'), [account.email])
  const [created, setCreated] = useState<ActionRow<'POST /v1/webhooks'>>()
  if (failure) return failure
  if (!webhooks || (account.tier === 'free' && webhooks.length === 0)) return null
  const add = async ({ name = '', url = '', ...chosen }: Readonly<Record<string, string>>) => {
    const events = eventTexts.map(([event]) => event).filter((event) => event in chosen)
    const [webhook] = await withConfirmation(() => act('POST /v1/webhooks', { body: { name, url, events } }))
    setCreated(webhook)
    retry()
  }
  const renew = async (id: string) => {
    const [webhook] = await withConfirmation(() => act('POST /v1/webhooks/{id}/secret', { id }))
    setCreated(webhook)
    retry()
  }
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <p class="muted">When there is new data, your programs receive a signed message at these addresses.</p>
      {created && (
        <OneTimeSecret
          title={`The secret of ${created.name}.`}
          remark="It signs the messages."
          secret={created.secret}
          copyLabel="Copy secret"
          onClose={() => setCreated(undefined)}
        />
      )}
      {webhooks.length > 0 && (
        <ul class="rows">
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onChange={retry} onRenew={() => renew(webhook.id)} />
          ))}
        </ul>
      )}
      {account.tier !== 'free' && (
        <details>
          <summary>Add a webhook</summary>
          <Form action="Add webhook" isMain onSubmit={add} clears>
            <div class="side">
              <Field label="Name" name="name" autocomplete="off" hint="What receives the messages" />
              <Field label="Address" name="url" autocomplete="off" hint="An https address that others can reach" />
            </div>
            <fieldset>
              <legend>Send a message when</legend>
              {eventTexts.map(([event, text]) => (
                <label class="check" key={event}>
                  <input type="checkbox" name={event} defaultChecked={event === 'generation'} />
                  <span>{text}</span>
                </label>
              ))}
            </fieldset>
          </Form>
        </details>
      )}
    </section>
  )
}

interface WebhookRowProps {
  readonly webhook: Webhook
  readonly onChange: () => void
  readonly onRenew: () => Promise<void>
}

function WebhookRow({ webhook, onChange, onRenew }: WebhookRowProps) {
  const { id, name, url, events } = webhook
  const [tested, setTested] = useState<string>()
  const test = async () => {
    const [result] = await act('POST /v1/webhooks/{id}/test', { id })
    setTested(result?.taken ? 'The test was accepted.' : `The test failed: ${result?.problem}`)
    onChange()
  }
  return (
    <li class="webhook">
      <div>
        <h3>{name}</h3>
        <p class="muted">
          <code>{url}</code> for {events.join(', ')}
        </p>
        <p class="muted">{describeDelivery(webhook, Date.now())}</p>
        {tested !== undefined && <p role="status">{tested}</p>}
      </div>
      <Form action="Send a test" onSubmit={test} />
      <Form action="New secret" onSubmit={onRenew} />
      <Revoke name={name} onRevoke={() => act('DELETE /v1/webhooks/{id}', { id }).then(onChange)} />
    </li>
  )
}

function describeDelivery({ disabled_at, failing_since, problem, delivered_at }: Webhook, now: number): string {
  if (disabled_at !== null) return `Disabled ${ago(disabled_at, now)}: ${problem}. A successful test turns it on again.`
  if (failing_since !== null) return `Failing since ${ago(failing_since, now)}: ${problem}`
  return delivered_at === null ? 'Nothing sent yet' : `Last accepted ${ago(delivered_at, now)}`
}
