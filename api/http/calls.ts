import type { IncomingMessage } from 'node:http'
import type { Tier } from '#contract/tiers.ts'
import type { ApiError } from '../api-error.ts'

/** Who sends a request, and what it may see. */
export interface Caller {
  /** By which it is counted: its account, or its address without one. */
  readonly name: string
  readonly tier: Tier
  readonly accountId: number | undefined
  /** How the key begins that it sent. */
  readonly keyId: string | undefined
  /** How it told who it is. */
  readonly by: 'nothing' | 'key' | 'session'
  /** Not counted: where everything is allowed to everyone. */
  readonly isUnlimited: boolean
  /** Why it is turned away, whatever it asks for. */
  readonly refusal: ApiError | undefined
}

/** A request that has found its endpoint. */
export interface Call {
  readonly caller: Caller
  /** Template of the path, by which requests are counted and logged. */
  readonly endpoint: string
  readonly requestsPerMinute: number
}

/** What is known of each request that is being answered. */
export class Calls {
  readonly #calls = new WeakMap<IncomingMessage, Call>()

  set(request: IncomingMessage, call: Call): void {
    this.#calls.set(request, call)
  }

  find(request: IncomingMessage): Call | undefined {
    return this.#calls.get(request)
  }

  of(request: IncomingMessage): Call {
    const call = this.#calls.get(request)
    if (!call) throw new Error('request has not been identified yet')
    return call
  }
}
