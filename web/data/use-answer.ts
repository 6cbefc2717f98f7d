import { useEffect, useState } from 'preact/hooks'
import { dataVersion } from './freshness.ts'
import { PageLeft } from './pacing.ts'

/** `value` remains after a later failure or while a new generation loads. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: unknown
  readonly retry: () => void
}

/** Loads when mounted and again when `keys` or the generation change. */
export function useAnswer<T>(load: () => Promise<T | undefined>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ readonly value?: T | undefined; readonly error?: unknown }>({})
  const [attempt, setAttempt] = useState(0)
  const current = dataVersion.value
  useEffect(() => {
    let isWanted = true
    load().then(
      (value) => isWanted && setState({ value }),
      (error: unknown) => {
        // Components that outlast the page try again.
        if (isWanted && error instanceof PageLeft) setAttempt(attempt + 1)
        else if (isWanted) setState(({ value }) => ({ ...(value !== undefined && { value }), error }))
      },
    )
    return () => {
      isWanted = false
    }
  }, [...keys, current, attempt])
  return { value: state.value, error: state.error, retry: () => setAttempt(attempt + 1) }
}
