import { useEffect, useState } from 'preact/hooks'

/** The value after it has not changed for `ms`; values with the same JSON are equal. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms)
    return () => clearTimeout(timer)
  }, [JSON.stringify(value)])
  return settled
}
