import { hash } from 'node:crypto'
import type { Counters } from './counters.ts'
import { requireOne } from './limiter.ts'
import type { PolicyCounters } from './policy-counters.ts'

const quarterHour = 15 * 60_000

type AttemptSource = { readonly address: string } | { readonly email: string } | { readonly accountId: number }

export type Attempts = ReturnType<typeof createAttempts>

/**
 * Limits against guessing. Attempts count per network and e-mail address, also of signed-in users:
 * cookies or many addresses give nobody more.
 *
 * @param perMinute attempts of an address per minute
 */
export function createAttempts(counters: Counters, perMinute: number) {
  const quarterHours = counters.perWindow('attempts', quarterHour)
  const days = counters.perWindow('sign-ups', 24 * 4 * quarterHour)
  const registrations = counters.perWindow('registrations', 24 * 4 * quarterHour)
  return {
    /** Throws `rate_limited`. */
    count(source: AttemptSource): void {
      const max = 'address' in source ? 3 * perMinute : perMinute
      countUpTo(max, quarterHours, counterName(source), 'attempts to sign in or up in a quarter of an hour')
    },

    /** For OAuth clients. Throws `rate_limited`. */
    countRegistration(address: string): void {
      countUpTo(20 * perMinute, registrations, address, 'apps registered from one network within a day')
    },

    /** Throws `rate_limited`. */
    countSignUp(source: AttemptSource): void {
      const what = 'accounts asked for from one network, or for one e-mail address, within a day'
      countUpTo(2 * perMinute, days, counterName(source), what)
    },
  }
}

function countUpTo(max: number, counters: PolicyCounters, name: string, what: string): void {
  const count = counters.of(name)
  requireOne(count, max, 'rate_limited', what)
  count.add(1, max)
}

/** Stores only a hash of e-mail addresses. */
function counterName(source: AttemptSource): string {
  if ('address' in source) return source.address
  if ('accountId' in source) return `account ${source.accountId}`
  return `e-mail ${hash('sha256', source.email.trim().toLowerCase()).slice(0, 32)}`
}
