import type { Express } from 'express'
import type { AccountCall, AddAction } from '#accounts/account-call.ts'
import { formatSecret } from '#accounts/webhooks/signature.ts'
import { requireTarget } from '#accounts/webhooks/target.ts'
import type { AlertService } from '#alerts/alert-service.ts'
import type { AlertState } from '#alerts/alert-state.ts'
import { type Alert, type AlertDefinition, operator, parseState } from '#alerts/alerts.ts'
import { conditionStates, findCrossings, unknown } from '#alerts/conditions.ts'
import { describeAlert, findUrlProblem } from '#alerts/messages.ts'
import type { WatchedSeries } from '#alerts/watched-series.ts'
import { isoDate } from '#base/days.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import {
  type AlertEvent,
  type AlertRow,
  type AlertTrial,
  alertChangeBody,
  alertTrialBody,
  newAlertBody,
  type Watched,
} from '#contract/alerts.ts'
import { ApiError, invalidParameter } from '#contract/api-error.ts'
import { pages } from '#contract/pages.ts'
import { parseBody } from '#contract/parse-body.ts'
import { paths } from '#contract/paths.ts'
import { tiers } from '#contract/tiers.ts'
import { insufficientTier } from '#query/view.ts'
import { valuesPerMs, valuesPerRow } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { requirePro } from '../http/serve-data.ts'
import type { RouteParts } from './account-routes.ts'
import { callerWithAccount } from './key-routes.ts'

/** Cost of a condition in values read. */
const conditionValues = 10
/** More days than are published. */
const maxDays = 7_000

export function addAlerts(add: AddAction, { accounts, admission, alertService: service }: RouteParts): void {
  const { alerts, policy } = service.parts

  const readOwner = ({ request: { caller } }: AccountCall): number =>
    caller.isUnlimited ? operator : callerWithAccount(caller).accountId
  const findOwn = async (call: AccountCall, id = call.parameter('id')): Promise<Alert> => {
    const alert = await alerts.find(readOwner(call), id)
    if (alert) return alert
    throw new ApiError('not_found', 'there is no such alert: /v1/alerts lists yours')
  }

  const findSeen = async (call: AccountCall): Promise<Alert> => {
    const alert = await findOwn(call)
    if (seesValues(alert, call)) return alert
    throw insufficientTier('the events of this alert', call.request.caller.tier, alert.tier)
  }

  const readSeries = async ({ request: { caller } }: AccountCall, watched: Watched): Promise<WatchedSeries> => {
    const { formula } = watched
    const days = Math.min(maxDays, tiers[caller.tier].historyDays)
    const perDay = conditionValues + (formula === undefined ? 1 : valuesPerRow(parseFormula(formula).root))
    const work = admission.workFor(caller)
    const read = () => service.parts.readSeries(caller.tier, watched, work)
    const series = await admission.run(caller, (days * perDay) / valuesPerMs, read)
    work.spend(series.values.length * conditionValues)
    return series
  }

  const requireMail = async (owner: number): Promise<void> => {
    if (!service.channels.includes('email')) {
      const settings = owner === operator ? 'MAIL_URL and ALERTS_TO' : 'MAIL_URL'
      throw new ApiError('forbidden', `this service sends no mail for alerts: the operator can set ${settings}`)
    }
    if (owner === operator || (await accounts.get(owner))?.verified_at != null) return
    throw new ApiError('forbidden', 'nobody has verified the address of this account: ask the operator for a link')
  }
  const requireWebhook = ({ request: { caller } }: AccountCall, { url, format }: Webhook): void => {
    requirePro(caller, 'a webhook')
    if (!policy) throw new ApiError('forbidden', 'the operator has turned webhooks off (WEBHOOKS=off)')
    requireTarget(url, policy, ' (unless the service runs with WEBHOOKS=any)')
    const problem = findUrlProblem(format, new URL(url))
    if (problem !== undefined) throw invalidParameter('webhook.url', problem)
  }

  add.open(accountActions.alerts, async (call) =>
    (await alerts.list(readOwner(call))).map((alert) => describeRow(alert, call)),
  )

  add.open(accountActions.oneAlert, async (call) => [describeRow(await findOwn(call), call)])

  add.open(accountActions.tryAlert, async (call): Promise<AlertTrial[]> => {
    const watched = parseBody(alertTrialBody, call.request.body)
    const series = await readSeries(call, watched)
    const { state } = await service.advance(watched.condition, series)
    return [{ summary: describeAlert(watched, call.request.caller.tier), ...describeTrial(watched, series, state) }]
  })

  add.open(accountActions.createAlert, async (call) => {
    const owner = readOwner(call)
    const { email = false, webhook = null, ...watched } = parseBody(newAlertBody, call.request.body)
    if (email) await requireMail(owner)
    if (webhook) requireWebhook(call, webhook)
    const { state } = await service.advance(watched.condition, await readSeries(call, watched))
    const { tier } = call.request.caller
    const created = await alerts.create(owner, { ...watched, email, webhook }, state, tiers[tier].alerts)
    if (!created)
      throw new ApiError('forbidden', `tier ${tier} has at most ${tiers[tier].alerts} alerts: remove one first`)
    return [describeChanged(await findOwn(call, created.id), created.secret, call)]
  })

  add.open(accountActions.changeAlert, async (call) => {
    const alert = await findOwn(call)
    const { definition: before } = alert
    const { active = alert.active, metric, formula, ...given } = parseBody(alertChangeBody, call.request.body)
    const isSame = metric === undefined && formula === undefined
    const watched = parseBody(alertTrialBody, {
      ...(isSame ? { metric: before.metric, formula: before.formula } : { metric, formula }),
      condition: given.condition ?? before.condition,
    })
    if (given.email) await requireMail(alert.owner)
    if (given.webhook) requireWebhook(call, given.webhook)
    let state: AlertState | undefined
    if ((active && !alert.active) || watchKey(watched) !== watchKey(before)) {
      ;({ state } = await service.advance(watched.condition, await readSeries(call, watched)))
    }
    // One click may have ended the mail meanwhile.
    const latest = (await findOwn(call)).definition
    const { email = latest.email, webhook = latest.webhook } = given
    const definition = { ...watched, email, webhook }
    const hasNewWebhook = given.webhook != null
    const secret = await alerts.change(alert, definition, active, { hasNewWebhook, state })
    return [describeChanged(await findOwn(call), secret, call)]
  })

  add.open(accountActions.removeAlert, async (call) => {
    const { id, owner } = await findOwn(call)
    await alerts.remove(owner, id)
    return [{ id }]
  })

  add.open(accountActions.alertEvents, async (call) => (await alerts.events(await findSeen(call))).map(describeEvent))

  add.open(accountActions.testAlert, async (call) => {
    const alert = await findSeen(call)
    const { email, webhook } = alert.definition
    if (!email && !webhook) throw new ApiError('forbidden', 'this alert sends nothing: give it mail or a webhook first')
    await service.test(alert)
    return (await alerts.events(alert)).slice(0, 1).map(describeEvent)
  })
}

/** Adds the link that ends the mail of an alert: POST ends it (RFC 8058), GET leads to the page. */
export function addMailStop(app: Express, { alertService, guard, basePath }: RouteParts): void {
  app
    .route(paths.stopMail.replace('{token}', ':token'))
    .get(guard(paths.stopMail), (_, response) => response.redirect(303, `${basePath}${pages.alerts}`))
    .post(guard(`POST ${paths.stopMail}`, 0.1, 'address'), async (request, response) => {
      const isStopped = await alertService.stopMail(`${request.params.token}`)
      if (!isStopped)
        throw new ApiError(
          'not_found',
          'this link belongs to no alert: it was removed, the link is cut, or the service has another key',
        )
      response.type('text').send('This alert sends no more mail.')
    })
}

type Webhook = NonNullable<AlertDefinition['webhook']>

const watchKey = ({ metric, formula, condition }: Watched): string => JSON.stringify([metric, formula, condition])

function describeTrial(
  { condition }: Watched,
  { firstDay, values, eachBlock }: WatchedSeries,
  { isMet, value, paused }: AlertState,
): Omit<AlertTrial, 'summary'> {
  const states = conditionStates(condition, values)
  const fired = findCrossings(states).rows.map((row) => ({ date: isoDate(firstDay + row), value: values[row]! }))
  const date = (row: number): string | null => (row < 0 ? null : isoDate(firstDay + row))
  const isKnown = (one: number): boolean => one !== unknown
  return {
    count: fired.length,
    fired,
    from: date(states.findIndex(isKnown)),
    to: date(states.findLastIndex(isKnown)),
    is_met: isMet,
    value,
    each_block: eachBlock,
    paused,
  }
}

/** Keys and apps may have a lower tier than the account, whose tier its alerts have. */
const seesValues = ({ tier }: Alert, { request: { caller } }: AccountCall): boolean =>
  caller.isUnlimited || tiers[caller.tier].grade >= tiers[tier].grade

const unseen = { isMet: null, asOf: null, value: null, paused: null, fired: 0, last_fired_at: null }

function describeRow(alert: Alert, call: AccountCall): AlertRow {
  const { id, definition, tier, active, created_at, evaluated_at, problem } = alert
  const { metric = null, formula = null, condition, email, webhook } = definition
  const seen = seesValues(alert, call) ? { ...parseState(alert), ...alert } : unseen
  const { isMet, asOf, value, paused, fired, last_fired_at } = seen
  return {
    id,
    summary: describeAlert(definition, tier),
    metric,
    formula,
    condition,
    email,
    webhook: webhook && { host: new URL(webhook.url).host, format: webhook.format },
    active,
    created_at,
    is_met: isMet,
    as_of: asOf === null ? null : isoDate(asOf),
    value,
    evaluated_at,
    paused,
    fired,
    last_fired_at,
    problem,
  }
}

const describeChanged = (alert: Alert, secret: Uint8Array | null, call: AccountCall) => ({
  ...describeRow(alert, call),
  secret: secret && formatSecret(secret),
})

type StoredEvent = Awaited<ReturnType<AlertService['parts']['alerts']['events']>>[number]

const describeEvent = ({
  content: { title: _, ...content },
  created_at,
  deliveries,
  ...event
}: StoredEvent): AlertEvent => ({
  ...event,
  ...content,
  created_at,
  deliveries: deliveries.map(({ event_id: _, ...delivery }) => delivery),
})
