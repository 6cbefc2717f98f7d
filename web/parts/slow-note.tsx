import { useEffect, useState } from 'preact/hooks'
import { isUnreachable, reloadData } from '../data/freshness.ts'
import { longWaits } from '../data/pacing.ts'
import { Button } from './button.tsx'

const slowMs = 1_500

/** Says why data are late, with a way on, once they are. */
export function SlowNote() {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isSlow) return null
  return (
    <div class="slow" role="status">
      <p>{waitReason() ?? 'Still loading: the service has not answered yet.'}</p>
      {longWaits.value === 0 && (
        <Button
          onClick={() => {
            setSlow(false)
            reloadData()
          }}
        >
          Try again
        </Button>
      )}
    </div>
  )
}

/** Undefined unless the reader is offline, the service down, or a limit reached. */
export function waitReason(): string | undefined {
  if (isUnreachable.value) {
    return navigator.onLine
      ? 'The service does not answer. You see the last data that arrived; the page keeps trying.'
      : 'You are offline. You see the last data that arrived; the page goes on when you are connected again.'
  }
  if (longWaits.value === 0) return undefined
  return 'You looked at much in one minute. What is missing comes by itself, in at most a minute.'
}
