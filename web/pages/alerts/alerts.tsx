import { useState } from 'preact/hooks'
import { tiers } from '#contract/tiers.ts'
import { go, pathTo, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { access, act, useAccount } from '../../data/accounts.ts'
import { readIndex } from '../../data/catalogue.ts'
import { Failed } from '../../parts/failed.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { writeCount } from '../../parts/numbers.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { AlertForm, type ChangedAlert } from './alert-form.tsx'

/** Not needed for the first chart. */
const AlertList = lazy(async () => (await import('./alert-list.tsx')).AlertList)

/** The form may be far above the changed alert. */
const show = (heading: HTMLElement | null): void => heading?.scrollIntoView({ block: 'nearest' })

/** The address has `watch` (metric of a new alert) or `alert` (to change). */
export function AlertsPage() {
  useTitle('Alerts')
  const unknownAccess = useAccount()
  const caller = access.value
  const isOwner = caller?.access === 'open' || caller?.email != null
  const { value, error, retry } = useAnswer(async () => {
    if (!caller) return undefined
    const [index, alerts] = await Promise.all([readIndex(), isOwner ? act('GET /v1/alerts') : []])
    return { index, alerts }
  }, [caller?.access, caller?.email])
  const [saved, setSaved] = useState<ChangedAlert>()
  const failure = unknownAccess.error ?? (value ? undefined : error)
  const again = unknownAccess.error ? unknownAccess.retry : retry

  const { query } = route.value
  const id = query.get('alert')
  const watch = query.get('watch')
  const alerts = value?.alerts ?? []
  const changed = alerts.find((alert) => alert.id === id)
  const hasAlerts = alerts.length > 0
  const max = tiers[caller?.tier ?? 'demo'].alerts
  const isFull = isOwner && alerts.length >= max
  const isFormShown = changed !== undefined || (id === null && !isFull && (watch !== null || !hasAlerts))
  return (
    <div class="alerts">
      <header class="who">
        <div>
          <h1>Alerts</h1>
          <p class="muted">
            A message when a condition on a metric or a formula becomes true.{' '}
            <a href={toHref(pathTo('guide', { name: 'alerts' }))}>How alerts work</a>
          </p>
        </div>
        {value && !isFormShown && !isFull && (
          <a class="pill main" href={`${toHref(pathTo('alerts'))}?watch=`}>
            New alert
          </a>
        )}
      </header>
      {failure !== undefined && <Failed error={failure} retry={again} />}
      {failure === undefined && !value && <Waiting lines={6} />}
      {value && caller && (
        <>
          {isFull && (
            <p>
              You have {writeCount(alerts.length)} alerts, as many as tier {caller.tier} allows. Delete one to create
              another{caller.tier === 'enterprise' ? '' : '; higher tiers have more'}.
            </p>
          )}
          {id !== null && !changed && (
            <p role="status">There is no such alert among yours: it was deleted, or belongs to another account.</p>
          )}
          {isFormShown && (
            <section key={changed?.id ?? watch} aria-labelledby="alert-form">
              <h2 id="alert-form" ref={show}>
                {changed ? 'Change the alert' : 'New alert'}
              </h2>
              <AlertForm
                alert={changed}
                watch={watch ?? ''}
                index={value.index}
                access={caller}
                onSaved={(alert) => {
                  setSaved(alert)
                  retry()
                  go(pathTo('alerts'))
                }}
              />
            </section>
          )}
          {hasAlerts && (
            <AlertList
              {...{ alerts, max, saved }}
              title={caller.access === 'open' ? 'Alerts of this service' : 'Your alerts'}
              index={value.index}
              onChange={retry}
            />
          )}
        </>
      )}
    </div>
  )
}
