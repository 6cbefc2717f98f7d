import type { IncomingMessage } from 'node:http'
import type { Call, Caller } from '#contract/caller.ts'

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
