import { useId, useState } from 'preact/hooks'
import { RequestError } from '#clients/typescript/request.ts'
import type { AlertRow, WebhookFormat } from '#contract/alerts.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { type Access, type ActionRow, act } from '../../data/accounts.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import { explain } from '../../data/failure.ts'
import { findProblem } from '../../parts/check-formula.ts'
import { LoadFailure } from '../../parts/failed.tsx'
import { Field, Form, Problem } from '../../parts/form.tsx'
import { FormulaField } from '../../parts/formula-field.tsx'
import { Select } from '../../parts/select.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { useDebounced } from '../../parts/use-debounced.ts'
import { toFormula } from './condition-formula.ts'
import { ConditionFields, type ConditionKind, type Typed, toCondition } from './conditions.tsx'
import { Trial, type WatchedBody } from './trial.tsx'

export type ChangedAlert = ActionRow<'POST /v1/alerts'>

/** Typing pause before the alert is tried. */
const debounceMs = 300

/** Importing the contract would double the page's code. */
const formats: Readonly<Record<WebhookFormat, readonly [name: string, hint: string]>> = {
  json: ['JSON, signed', 'That of a program of yours. You get the secret that signs the requests when you save.'],
  slack: ['Slack', 'That of an incoming webhook: https://hooks.slack.com/services/…'],
  discord: ['Discord', 'That of the channel’s webhook: https://discord.com/api/webhooks/…'],
  telegram: ['Telegram', 'That of your bot: https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>'],
  ntfy: ['ntfy', 'That of a topic: https://ntfy.sh/my-secret-topic'],
}
const formatOrder = ['json', 'slack', 'discord', 'telegram', 'ntfy'] as const
export const formatName = (format: WebhookFormat): string => formats[format][0]

interface AlertFormProps {
  /** Undefined for a new alert. */
  readonly alert: AlertRow | undefined
  /** Metric or formula of a new alert. */
  readonly watch: string
  readonly index: CatalogueIndex
  readonly access: Access
  readonly onSaved: (alert: ChangedAlert | undefined) => void
}

/** Tries the alert on the past while it is filled in. */
export function AlertForm({ alert, watch, index, access, onSaved }: AlertFormProps) {
  const id = useId()
  const [text, setText] = useState(alert?.metric ?? alert?.formula ?? watch)
  const [kind, setKind] = useState<ConditionKind>(alert?.condition.kind ?? 'above')
  const [typed, setTyped] = useState<Typed>(() =>
    // A condition is 1 where it is true.
    Object.fromEntries(
      Object.entries(alert?.condition ?? (/[<>]/.test(watch) ? { value: 0.5 } : {})).map(([name, value]) => [
        name,
        String(value),
      ]),
    ),
  )
  const [format, setFormat] = useState<WebhookFormat | 'none' | 'same'>(alert?.webhook ? 'same' : 'none')
  const [refusal, setRefusal] = useState<unknown>()

  const series = toSeries(text.trim(), index)
  const condition = toCondition(kind, typed)
  const watched = series && condition && { ...series, condition }
  const settled = useDebounced(watched, debounceMs)
  const tried = useAnswer(async () => {
    const [trial] = settled ? await act('POST /v1/alerts/trial', { body: settled }) : []
    return trial && settled && { trial, watched: settled }
  }, [JSON.stringify(settled)])
  const { metric, formula } = tried.value?.watched ?? {}
  const isSameSeries = watched !== undefined && metric === watched.metric && formula === watched.formula
  const isTried = tried.error === undefined && JSON.stringify(tried.value?.watched) === JSON.stringify(watched)
  const problem = readProblem(refusal) ?? (settled && readProblem(tried.error))
  const problemOf = (field: string): string | undefined => (problem?.field === field ? problem.message : undefined)
  const onTyped = (name: string, value: string): void => {
    setTyped({ ...typed, [name]: value })
    setRefusal(undefined)
  }
  const onInput = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement && target.name !== '') onTyped(target.name, target.value)
  }

  const canWebhook = access.alert_channels.includes('webhook') && access.tier !== 'free'
  const save = async ({ email, url = '' }: Readonly<Record<string, string>>): Promise<void> => {
    if (!watched) throw new Error('Name a metric or a formula, and give the condition its numbers.')
    setRefusal(undefined)
    const webhook = format === 'same' ? undefined : format === 'none' ? null : { url, format }
    const body = { ...watched, email: email !== undefined, ...(webhook !== undefined && { webhook }) }
    try {
      const [saved] = alert
        ? await act('POST /v1/alerts/{id}', { id: alert.id, body })
        : await act('POST /v1/alerts', { body })
      onSaved(saved)
    } catch (error) {
      if (!readProblem(error)) throw error
      setRefusal(error)
    }
  }
  const fields = (
    <div class="form" onInput={onInput}>
      <div class="field">
        <label htmlFor={`${id}-watch`}>Metric or formula</label>
        <FormulaField
          inputId={`${id}-watch`}
          value={text}
          label="Metric or formula"
          placeholder="Such as mvrv or price / sma(price, 200)"
          index={index}
          onCommit={(next) => {
            setText(next)
            setRefusal(undefined)
          }}
        />
        <Problem text={problemOf('metric') ?? problemOf('formula')} />
      </div>
      <ConditionFields {...{ kind, typed, onTyped, problemOf }} onKind={setKind} />
      {condition && series && (
        <a href={`${toHref(pathTo('signals'))}?${new URLSearchParams({ if: toFormula(text.trim(), condition) })}`}>
          How often was it so, and what followed?
        </a>
      )}
      <div class={isTried || !watched ? 'trial' : 'trial is-old'}>
        {settled && tried.error !== undefined && !problem ? (
          <LoadFailure what="You see these values" error={tried.error} retry={tried.retry} />
        ) : (
          <Trial
            series={series}
            isComplete={watched !== undefined}
            tried={isSameSeries ? tried.value : undefined}
            unit={index.byId.get(text.trim())?.unit ?? ''}
          />
        )}
      </div>
    </div>
  )
  const isOwner = access.access === 'open' || access.email !== null
  if (!isOwner)
    return (
      <>
        {fields}
        <p>
          To save an alert, <a href={toHref(pathTo('account'))}>sign in</a>. Until then you can try what it would do.
        </p>
      </>
    )
  return (
    <Form
      action={alert ? 'Save changes' : 'Create alert'}
      isMain
      onSubmit={save}
      aside={
        <a class="pill" href={toHref(pathTo('alerts'))}>
          Cancel
        </a>
      }
    >
      {fields}
      <fieldset>
        <legend>Where its messages go, besides this page</legend>
        {access.alert_channels.includes('email') ? (
          <label class="check">
            <input type="checkbox" name="email" defaultChecked={alert?.email ?? true} />
            <span>E-mail to {access.email ?? 'the operator'}</span>
          </label>
        ) : (
          <p class="muted">
            This service sends no mail until its operator sets MAIL_URL{access.access === 'open' && ' and ALERTS_TO'}.
          </p>
        )}
        {canWebhook ? (
          <div class="side">
            <Select
              label="Webhook"
              isLabeled
              value={format}
              choices={[
                ['none', 'None'],
                ...(alert?.webhook ? [['same', `As it is: ${alert.webhook.host}`] as const] : []),
                ...formatOrder.map((one) => [one, formatName(one)] as const),
              ]}
              onChange={setFormat}
            />
            {format !== 'none' && format !== 'same' && (
              <Field label="URL" name="url" autocomplete="off" hint={formats[format][1]} problem={problemOf('url')} />
            )}
          </div>
        ) : (
          <p class="muted">
            {access.tier === 'free' ? 'Webhooks need tier pro.' : 'This service sends nothing to webhooks.'}
          </p>
        )}
      </fieldset>
    </Form>
  )
}

/** Undefined if neither metric nor valid formula. */
function toSeries(text: string, index: CatalogueIndex): Pick<WatchedBody, 'metric' | 'formula'> | undefined {
  if (text === '' || findProblem(text, index)) return undefined
  return index.byId.has(text) ? { metric: text } : { formula: text }
}

const shownFields = ['metric', 'formula', 'url', 'value', 'low', 'high', 'percent', 'days', 'percentile']

/** The refused field and why; undefined for other errors. */
function readProblem(error: unknown): { readonly field: string; readonly message: string } | undefined {
  if (!(error instanceof RequestError) || typeof error.details.parameter !== 'string') return undefined
  const field = error.details.parameter.replace(/^.*\./, '')
  return shownFields.includes(field) ? { field, message: explain(error).message } : undefined
}
