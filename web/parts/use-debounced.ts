import { useEffect, useState } from 'preact/hooks'

/** The value after `ms` without change; values are compared as JSON. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms)
    return () => clearTimeout(timer)
  }, [JSON.stringify(value)])
  return settled
}
