import type { IncomingMessage } from 'node:http'
import type { Call, Caller } from '#contract/caller.ts'

const arrived = Symbol('arrived')
const called = Symbol('called')
/** Stored in the request itself: a WeakMap look-up takes longer than answering from the cache. */
interface Noted extends IncomingMessage {
  [arrived]?: Caller
  [called]?: Call
}

/** The caller and the endpoint of each request in progress. */
export class Calls {
  /** Called before the endpoint is known. */
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
