import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { dataVersion, health } from '../data/freshness.ts'
import { PageLeft } from '../data/pacing.ts'
import { Failed } from './failed.tsx'

/** `value` remains after a later failure or while a new generation loads. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: unknown
  readonly retry: () => void
  /** Shown if nothing could be loaded. */
  readonly failure: VNode | undefined
}

/** Loads again when `keys` or the generation change. */
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
  const { value, error } = state
  const retry = (): void => setAttempt(attempt + 1)
  const isFailed = error !== undefined && value === undefined
  return { value, error, retry, failure: isFailed ? <Failed error={error} retry={retry} /> : undefined }
}

/** As `useAnswer`, once the last published date (YYYY-MM-DD) is known. */
export function useLastDay<T>(load: (lastDate: string) => Promise<T | undefined>, keys: readonly unknown[] = []) {
  const lastDate = health.value?.published?.last_date
  return useAnswer(async () => (lastDate === undefined ? undefined : load(lastDate)), [lastDate, ...keys])
}
