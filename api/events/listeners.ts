import type { Request, RequestHandler, Response } from 'express'
import { pacedTurns } from '#base/own-turn.ts'
import { ApiError } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import type { EventData, EventName } from '#contract/events.ts'
import type { Tier } from '#contract/tiers.ts'
import { LimitError } from '#limits/limiter.ts'
import { type Changes, type EventState, formatEventId, parseEventId, stepsBetween } from '#query/changes.ts'
import type { Identify } from '../http/caller.ts'
import { requireCall } from '../http/calls.ts'

const maxPerCaller: Readonly<Record<Tier, number>> = { demo: 10, free: 10, pro: 50, enterprise: 200 }
/** A connection with more unread bytes is closed. */
const maxUnreadBytes = 65_536
/** Until a caller without the right to listen is disconnected. */
const checkIntervalMs = 5_000
/** Comments keep proxies from closing the connection and reveal a broken one. */
const checksPerHeartbeat = 3
const clientRetryMs = 3_000
const retryAfterSeconds = 30

interface Listener {
  readonly request: Request
  readonly response: Response
  readonly caller: string
  /** Missed events have been sent. */
  isStarted: boolean
  /** Settles when its queue has been sent. */
  turn: Promise<void>
}

type Work = (listener: Listener, mayListen: boolean) => void

const formatEvent = (event: EventName, data: EventData, state: EventState): string =>
  `id: ${formatEventId(state)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** At most `max` connections. */
export class Listeners {
  readonly #changes: Changes
  readonly #identify: Identify
  readonly #max: number
  readonly #listeners = new Set<Listener>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #checks = 0
  #isClosed = false
  #lastCall = Promise.resolve()

  constructor(changes: Changes, identify: Identify, max: number) {
    this.#changes = changes
    this.#identify = identify
    this.#max = max
  }

  /** Sends the changes since Last-Event-ID, or the current state, then every change. */
  async add(request: Request, response: Response, caller: Caller): Promise<void> {
    this.#requireRoom(caller)
    const listener: Listener = { request, response, caller: caller.name, isStarted: false, turn: Promise.resolve() }
    this.#listeners.add(listener)
    response.once('close', () => this.#forget(listener))
    if (!this.#unsubscribe) {
      this.#unsubscribe = this.#changes.subscribe((changes) => {
        void this.#send(changes.map(({ event, data, state }) => formatEvent(event, data, state)).join(''))
      })
      this.#timer = setInterval(() => this.#check(), checkIntervalMs).unref()
    }
    response.flushHeaders()
    const { state, eventData } = await this.#changes.readState()
    if (this.#isClosed || response.destroyed) return void response.end()
    const missed = stepsBetween(parseEventId(request.get('last-event-id')), state)
    const texts = missed.map((step) => formatEvent(step.event, eventData(step.event), step.state))
    listener.isStarted = true
    response.write(`retry: ${clientRetryMs}\n\n${texts.join('')}`)
  }

  get count(): number {
    return this.#listeners.size
  }

  close(): void {
    this.#isClosed = true
    for (const { response } of this.#listeners) response.end()
  }

  #requireRoom({ name, tier, isUnlimited }: Caller): void {
    const max = maxPerCaller[tier]
    const ofCaller = [...this.#listeners].filter(({ caller }) => caller === name)
    if (!isUnlimited && ofCaller.length >= max) {
      const message = `you already have ${max} connections to events: close one first`
      throw new LimitError('rate_limited', message, retryAfterSeconds)
    }
    if (this.#listeners.size < this.#max && !this.#isClosed) return
    const message = `too many clients listen to events; try again in ${retryAfterSeconds} seconds`
    throw new LimitError('events_overloaded', message, retryAfterSeconds)
  }

  #forget(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#timer)
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #check(): void {
    this.#checks++
    if (this.#checks % checksPerHeartbeat === 0) void this.#send(':\n\n')
    else void this.#each([...this.#listeners], ({ response }, mayListen) => mayListen || response.end())
  }

  /** Events contain nothing that some callers may not see. */
  #send(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    // Others read a state that includes it.
    const started = [...this.#listeners].filter(({ isStarted }) => isStarted)
    return this.#each(started, ({ response }, mayListen) => {
      if (!mayListen) response.end()
      else if (response.writableLength > maxUnreadBytes) response.destroy()
      else response.write(bytes)
    })
  }

  /** In the order of calls, after checking the rights of each listener. */
  #each(listeners: readonly Listener[], work: Work): Promise<void> {
    this.#lastCall = this.#lastCall.then(() => this.#call(listeners, work))
    return this.#lastCall
  }

  async #call(listeners: readonly Listener[], work: Work): Promise<void> {
    const turn = pacedTurns()
    for (const listener of listeners) {
      listener.turn = listener.turn
        .then(() => this.#mayListen(listener))
        .catch(() => false)
        .then((mayListen) => {
          if (!listener.response.writableEnded) work(listener, mayListen)
        })
      await turn()
    }
  }

  /** False after its key was revoked or its user signed out. */
  async #mayListen({ request, caller }: Listener): Promise<boolean> {
    const { name, refusal } = await this.#identify(request)
    return refusal === undefined && name === caller
  }
}

const contentType = 'text/event-stream'

/** Until the caller disconnects. Throws `not_acceptable`. */
export function serveEvents(listeners: Listeners): RequestHandler {
  return async (request, response) => {
    if (!request.accepts(contentType)) {
      throw new ApiError('not_acceptable', `Accept must name ${contentType}`, { allowed: [contentType] })
    }
    // X-Accel-Buffering tells proxies to forward each event at once.
    const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
    if (request.method === 'HEAD') return void response.set(headers).end()
    await listeners.add(request, response.set(headers), requireCall(request).caller)
  }
}
