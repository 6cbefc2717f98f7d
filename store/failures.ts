import { CoinstrataError } from '#base/errors.ts'

export function storeFailed(name: string, cause: unknown, cure?: string): CoinstrataError {
  if (cause instanceof CoinstrataError) return cause
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new CoinstrataError('store_failed', `the store ${name} cannot be used: ${reason}`, {
    cause,
    cure:
      cure ??
      'check its address, that it can be reached from this machine, and that the credentials may read and write there',
  })
}

/** The store's content is not what was published. */
export const storeDamaged = (name: string, key: string, what: string, cure?: string): CoinstrataError =>
  new CoinstrataError('store_damaged', `${key} in the store ${name} ${what}`, {
    cure:
      cure ??
      'what is served stays as it is; run "coinstrata publish" again on the machine that publishes, with --force if it says that nothing has changed',
  })

/** For an answer to begin, including retries of the client. */
const responseTimeoutMs = 8_000

/** Aborts a request whose answer does not begin in time, until disposed. */
export function responseTimeout() {
  const controller = new AbortController()
  const late = () => controller.abort(new Error(`no answer within ${responseTimeoutMs / 1000} s`))
  const timer = setTimeout(late, responseTimeoutMs)
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}
