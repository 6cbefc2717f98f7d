import type { IncomingMessage } from 'node:http'
import type { Call, Caller } from '#contract/caller.ts'

const callerKey = Symbol('caller')
const callKey = Symbol('call')
/** Stored in the request: a WeakMap look-up takes longer than answering from the cache. */
interface Identified extends IncomingMessage {
  [callerKey]?: Caller
  [callKey]?: Call
}

/** Call it before the endpoint is known. */
export function setCaller(request: Identified, caller: Caller): void {
  request[callerKey] = caller
}

export const findCaller = (request: Identified): Caller | undefined => request[callerKey]

export function setCall(request: Identified, call: Call): void {
  request[callKey] = call
}

export const findCall = (request: Identified): Call | undefined => request[callKey]

export function requireCall(request: Identified): Call {
  const call = request[callKey]
  if (!call) throw new Error('request has not been identified yet')
  return call
}
