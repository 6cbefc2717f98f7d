import { useEffect, useState } from 'preact/hooks'
import { readAccount } from '../../data/accounts.ts'

/** Asks who is signed in; returns why that failed, and what asks again. */
export function useAccount(): { readonly error: unknown; readonly retry: () => void } {
  const [error, setError] = useState<unknown>()
  const retry = (): void => {
    setError(undefined)
    readAccount().catch(setError)
  }
  useEffect(retry, [])
  return { error, retry }
}
