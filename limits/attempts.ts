import { hash } from 'node:crypto'
import type { Counters } from './counters.ts'
import { LimitError, secondsUntil } from './limiter.ts'
import type { PolicyCounters } from './policy-counters.ts'

const quarterHour = 15 * 60_000

/** What is counted: where somebody asks from, or for whom. */
type AttemptSource = { readonly address: string } | { readonly email: string } | { readonly accountId: number }

/**
 * Limits of guessing beside the usual ones of a minute: signing in and up count per network address and per e-mail
 * address, whoever is signed in, so that no cookie or number of addresses multiplies them.
 */
export class Attempts {
  readonly #quarterHours: PolicyCounters
  readonly #days: PolicyCounters
  readonly #registrations: PolicyCounters
  readonly #usual: number

  /** `usual` is what an address may try in a minute. */
  constructor(counters: Counters, usual: number) {
    this.#quarterHours = counters.perWindow('attempts', quarterHour)
    this.#days = counters.perWindow('sign-ups', 24 * 4 * quarterHour)
    this.#registrations = counters.perWindow('registrations', 24 * 4 * quarterHour)
    this.#usual = usual
  }

  /** Throws `rate_limited` above the limit of a quarter of an hour. */
  count(counted: AttemptSource): void {
    const most = 'address' in counted ? 3 * this.#usual : this.#usual
    countTo(most, this.#quarterHours, counterName(counted), 'attempts to sign in or up in a quarter of an hour')
  }

  /** Throws `rate_limited` where too many OAuth clients registered from an address within a day. */
  countRegistration(address: string): void {
    countTo(20 * this.#usual, this.#registrations, address, 'apps registered from one network within a day')
  }

  /** Throws `rate_limited` where too many accounts were made from an address within a day. */
  countSignUp(address: string): void {
    countTo(2 * this.#usual, this.#days, address, 'accounts asked for from one network within a day')
  }
}

function countTo(most: number, counters: PolicyCounters, name: string, what: string): void {
  const count = counters.of(name)
  if (!count.allows(most)) {
    const wait = secondsUntil(count.allowedAgain(most))
    throw new LimitError('rate_limited', `more than ${most} ${what}; try again in ${wait} seconds`, wait)
  }
  count.add(1, most)
}

/** E-mail addresses that were typed are not kept as they are. */
function counterName(counted: AttemptSource): string {
  if ('address' in counted) return counted.address
  if ('accountId' in counted) return `account ${counted.accountId}`
  return `e-mail ${hash('sha256', counted.email.trim().toLowerCase()).slice(0, 32)}`
}
