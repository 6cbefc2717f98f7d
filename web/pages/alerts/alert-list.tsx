import { useEffect, useState } from 'preact/hooks'
import type { AlertEvent, AlertRow } from '#contract/alerts.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { act } from '../../data/accounts.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import { Form } from '../../parts/form.tsx'
import { ago, longDate, writeCount, writeValue } from '../../parts/numbers.ts'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Revoke } from '../../parts/revoke.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { type ChangedAlert, formatName } from './alert-form.tsx'

/** While a message is on its way. */
const pollMs = 1_500

interface AlertListProps {
  readonly alerts: readonly AlertRow[]
  readonly max: number
  readonly title: string
  /** Saved last. */
  readonly saved: ChangedAlert | undefined
  readonly index: CatalogueIndex
  readonly onChange: () => void
}

export function AlertList({ alerts, max, title, saved, index, onChange }: AlertListProps) {
  const [closed, setClosed] = useState<ChangedAlert>()
  return (
    <section aria-labelledby="own-alerts">
      {saved?.secret != null && saved !== closed && (
        <OneTimeSecret
          title={`The secret of the alert “${saved.summary}”.`}
          remark="It signs the requests to your program."
          secret={saved.secret}
          copyLabel="Copy secret"
          onClose={() => setClosed(saved)}
        />
      )}
      <h2 id="own-alerts">
        {title}{' '}
        <span class="muted">
          {writeCount(alerts.length)} of {writeCount(max)}
        </span>
      </h2>
      <ul class="rows">
        {alerts.map((alert) => (
          <AlertItem
            key={alert.id}
            alert={alert}
            unit={index.byId.get(alert.metric ?? '')?.unit ?? ''}
            onChange={onChange}
          />
        ))}
      </ul>
    </section>
  )
}

interface AlertItemProps {
  readonly alert: AlertRow
  readonly unit: string
  readonly onChange: () => void
}

function AlertItem({ alert, unit, onChange }: AlertItemProps) {
  const { id, summary, metric, formula, active, email, webhook, problem } = alert
  const [tests, setTests] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const chart =
    metric === null
      ? `${pathTo('workbench')}?${new URLSearchParams({ metrics: formula ?? '' })}`
      : pathTo('metric', { id: metric })
  const test = async () => {
    await act('POST /v1/alerts/{id}/test', { id })
    setTests(tests + 1)
    setOpen(true)
  }
  const turn = () => act('POST /v1/alerts/{id}', { id, body: { active: !active } }).then(onChange)
  const { name, text } = describeState(alert, unit)
  return (
    <li class={active ? 'alert' : 'alert ended'}>
      <div>
        <h3>
          <a href={toHref(chart)}>{summary}</a>
        </h3>
        <p>
          <span class={`state is-${name.toLowerCase()}`}>{name}</span> {text}
        </p>
        <p class="muted">
          {describeFirings(alert)}; {describeChannels(email, webhook)}
        </p>
        {problem !== null && <p class="problem">Its newest message is not delivered: {problem}</p>}
      </div>
      <div class="actions">
        <a class="pill" href={`${toHref(pathTo('alerts'))}?alert=${id}`}>
          Edit<span class="hidden"> {summary}</span>
        </a>
        <Form action={active ? 'Turn off' : 'Turn on'} onSubmit={turn} />
        {(email || webhook) && <Form action="Send a test" onSubmit={test} />}
        <Revoke name={summary} verb="Delete" onRevoke={() => act('DELETE /v1/alerts/{id}', { id }).then(onChange)} />
      </div>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          History<span class="hidden"> of {summary}</span>
        </summary>
        {isOpen && <History key={tests} id={id} />}
      </details>
    </li>
  )
}

function describeState({ active, paused, is_met, value, as_of }: AlertRow, unit: string) {
  const now = value === null || as_of === null ? '' : `${writeValue(unit, value)} on ${longDate(as_of)}`
  if (!active) return { name: 'Off', text: now }
  if (paused !== null) return { name: 'Paused', text: `It cannot fire now: ${paused}.` }
  if (is_met === null) return { name: 'Waiting', text: 'Its condition is not known yet.' }
  return is_met
    ? { name: 'Met', text: `${now}; it fires when this becomes true again.` }
    : { name: 'Waiting', text: now }
}

function describeFirings({ fired, last_fired_at, created_at }: AlertRow): string {
  if (last_fired_at === null) return `Has not fired since ${longDate(created_at)}`
  return `Fired ${fired === 1 ? 'once' : `${writeCount(fired)} times`}, last ${ago(last_fired_at, Date.now())}`
}

function describeChannels(email: boolean, webhook: AlertRow['webhook']): string {
  const channels = [
    ...(email ? ['by e-mail'] : []),
    ...(webhook ? [`to ${webhook.host} (${formatName(webhook.format)})`] : []),
  ]
  return channels.length === 0 ? 'sends no messages' : `sent ${channels.join(' and ')}`
}

function History({ id }: { readonly id: string }) {
  const { value: events, retry, failure } = useAnswer(() => act('GET /v1/alerts/{id}/events', { id }), [id])
  useEffect(() => {
    const isSending = events?.some(({ deliveries }) =>
      deliveries.some(({ attempts, retry_at }) => attempts === 0 && retry_at !== null),
    )
    if (!isSending) return
    const timer = setTimeout(retry, pollMs)
    return () => clearTimeout(timer)
  }, [events])
  if (!events) return failure ?? <p class="muted">Loading</p>
  if (events.length === 0) return <p class="muted">Nothing has happened yet.</p>
  return (
    <ul class="events">
      {events.map((event) => (
        <li key={event.id}>
          <p>{event.text}</p>
          <p class="muted">
            {ago(event.created_at, Date.now())}
            {event.deliveries.map((delivery) => (
              <span key={delivery.channel}> · {describeDelivery(delivery)}</span>
            ))}
          </p>
        </li>
      ))}
    </ul>
  )
}

type Delivery = AlertEvent['deliveries'][number]

function describeDelivery({ channel, delivered_at, attempts, retry_at, problem }: Delivery): string {
  const name = channel === 'email' ? 'e-mail' : 'webhook'
  if (delivered_at !== null) return `${name} accepted`
  if (retry_at === null) return `${name} given up: ${problem}`
  return attempts === 0 ? `${name} on its way` : `${name} not accepted, it is sent again: ${problem}`
}
