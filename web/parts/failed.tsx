import { RequestError } from '#clients/typescript/request.ts'
import { toHref } from '../app/router.ts'
import { explain } from '../data/failure.ts'
import { Button } from './button.tsx'

export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { message: what, cure } = explain(error)
  return (
    <div class="failed" role="alert">
      <p>{what}</p>
      <p class="muted">{cure}</p>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

interface LoadFailureProps {
  readonly what: string
  readonly error: unknown
  readonly retry: () => void
}

export function LoadFailure({ what, error, retry }: LoadFailureProps) {
  const tier = requiredTier(error)
  return tier === undefined ? (
    <Failed error={error} retry={retry} />
  ) : (
    <p class="muted">
      {what} with an <a href={toHref('/account')}>account</a> of tier {tier}.
    </p>
  )
}

/** Tier that a refused request needs; undefined for other errors. */
export function requiredTier(error: unknown): string | undefined {
  if (!(error instanceof RequestError)) return undefined
  const { code, details } = error
  return (code === 'insufficient_tier' || code === 'missing_api_key') && typeof details.needed === 'string'
    ? details.needed
    : undefined
}
