import { addressOf } from '../app/router.ts'
import { RequestFailure } from '../data/failure.ts'
import { Failed } from './failed.tsx'

/** Where something failed: which tier sees it, if that is why, else the error and a way to try again. */
export function NotShown({
  what,
  error,
  retry,
}: {
  readonly what: string
  readonly error: unknown
  readonly retry: () => void
}) {
  const tier = tierNeededBy(error)
  return tier === undefined ? (
    <Failed error={error} retry={retry} />
  ) : (
    <p class="muted">
      {what} with an <a href={addressOf('/account')}>account</a> of tier {tier}.
    </p>
  )
}

/** The tier that sees what a request was refused; undefined where it failed for another reason. */
export function tierNeededBy(error: unknown): string | undefined {
  if (!(error instanceof RequestFailure)) return undefined
  const { code, details } = error
  return (code === 'insufficient_tier' || code === 'missing_api_key') && typeof details.needed === 'string'
    ? details.needed
    : undefined
}
