import type { IncomingMessage } from 'node:http'
import type { ApiError } from '#contract/api-error.ts'
import type { Tier } from '#contract/tiers.ts'

/** Who sends a request, and what it may see. */
export interface Caller {
  /** By which it is counted: its account, or its address without one. */
  readonly name: string
  readonly tier: Tier
  readonly accountId: number | undefined
  /** How the key begins that it sent, or which connected app it is. */
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

const arrived = Symbol('arrived')
const called = Symbol('called')
/** What is noted of a request stands in itself: to look it up in a map weakly takes longer than to answer from memory. */
interface Noted extends IncomingMessage {
  [arrived]?: Caller
  [called]?: Call
}

/** What is known of each request that is being answered. */
export class Calls {
  /** Notes who sends a request that has not found its endpoint yet. */
  arrive(request: Noted, caller: Caller): void {
    request[arrived] = caller
  }

  arrivedFrom(request: Noted): Caller | undefined {
    return request[arrived]
  }

  set(request: Noted, call: Call): void {
    request[called] = call
  }

  find(request: Noted): Call | undefined {
    return request[called]
  }

  of(request: Noted): Call {
    const call = request[called]
    if (!call) throw new Error('request has not been identified yet')
    return call
  }
}
