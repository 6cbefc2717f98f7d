import type { Request, Response } from 'express'
import type { Caller } from '#contract/caller.ts'
import type { EventData, EventName } from '#contract/events.ts'
import type { Tier } from '#contract/tiers.ts'
import { LimitError } from '#limits/limiter.ts'
import type { Changes } from '#query/changes.ts'
import { idOf, type State, stateOf, stepsBetween } from '#query/state.ts'
import type { Identify } from '../http/caller.ts'

/** Of one caller at a time. */
const mostOfCaller: Readonly<Record<Tier, number>> = { demo: 10, free: 10, pro: 50, enterprise: 200 }
/** Bytes that may wait for a reader; one that does not read is let go. */
const mostUnread = 65_536
/** Milliseconds; within so many, who has lost the right to listen is let go. */
const checkedEvery = 5_000
/** Every so many checks a comment is sent, so that proxies keep the connection and both ends notice a broken one. */
const checksPerHeartbeat = 3
/** After how many milliseconds browsers connect again. */
const retryAfter = 3_000
/** Seconds after which somebody else may have gone. */
const busyFor = 30

interface Listener {
  readonly request: Request
  readonly response: Response
  readonly caller: string
  /** It has been told what it missed. */
  isStarted: boolean
  /** When all that was to be told it before has been told. */
  turn: Promise<void>
}

const textOf = (event: EventName, data: EventData, state: State): string =>
  `id: ${idOf(state)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Those who listen to changes (server-sent events). `most` is how many at a time. */
export class Listeners {
  readonly #changes: Changes
  readonly #identify: Identify
  readonly #most: number
  readonly #listeners = new Set<Listener>()
  readonly #byCaller = new Map<string, number>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #checks = 0
  #isClosed = false

  constructor(changes: Changes, identify: Identify, most: number) {
    this.#changes = changes
    this.#identify = identify
    this.#most = most
  }

  /**
   * Tells a caller what has changed since the event with the id of Last-Event-ID (without it what is the case), and from
   * then on every change. Throws `rate_limited`, `events_overloaded`.
   */
  async add(request: Request, response: Response, caller: Caller): Promise<void> {
    this.#requireRoom(caller)
    const listener: Listener = { request, response, caller: caller.name, isStarted: false, turn: Promise.resolve() }
    this.#byCaller.set(caller.name, (this.#byCaller.get(caller.name) ?? 0) + 1)
    this.#listeners.add(listener)
    response.once('close', () => this.#forget(listener))
    if (!this.#unsubscribe) {
      const unsubscribe = this.#changes.subscribe((changes) => {
        this.#send(changes.map(({ event, data, state }) => textOf(event, data, state)).join(''))
      })
      this.#unsubscribe = unsubscribe
      this.#timer = setInterval(() => this.#check(), checkedEvery).unref()
    }
    response.flushHeaders()
    const { state, dataOf } = await this.#changes.now()
    if (this.#isClosed || response.destroyed) return void response.end()
    const missed = stepsBetween(stateOf(request.get('last-event-id')), state)
    const told = missed.map((step) => textOf(step.event, dataOf(step.event), step.state))
    listener.isStarted = true
    response.write(`retry: ${retryAfter}\n\n${told.join('')}`)
  }

  get count(): number {
    return this.#listeners.size
  }

  /** Lets everybody go. */
  close(): void {
    this.#isClosed = true
    for (const { response } of this.#listeners) response.end()
  }

  #requireRoom({ name, tier, isUnlimited }: Caller): void {
    const most = mostOfCaller[tier]
    if (!isUnlimited && (this.#byCaller.get(name) ?? 0) >= most) {
      throw new LimitError('rate_limited', `you have more than ${most} connections to events: close one first`, busyFor)
    }
    if (this.#listeners.size < this.#most && !this.#isClosed) return
    const message = `too many clients listen to events; try again in ${busyFor} seconds`
    throw new LimitError('events_overloaded', message, busyFor)
  }

  #forget(listener: Listener): void {
    this.#listeners.delete(listener)
    const left = (this.#byCaller.get(listener.caller) ?? 1) - 1
    if (left === 0) this.#byCaller.delete(listener.caller)
    else this.#byCaller.set(listener.caller, left)
    if (this.#listeners.size > 0) return
    clearInterval(this.#timer)
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #check(): void {
    this.#checks++
    if (this.#checks % checksPerHeartbeat === 0) this.#send(':\n\n')
    else this.#each((listener, mayListen) => mayListen || listener.response.end())
  }

  /** One text for all of them: what it tells, everybody may see. */
  #send(text: string): void {
    const bytes = Buffer.from(text)
    this.#each(({ response, isStarted }, mayListen) => {
      if (!mayListen) response.end()
      else if (response.writableLength > mostUnread) response.destroy()
      else if (isStarted) response.write(bytes)
    })
  }

  /** Does something to each listener, in the order of calls, once it is known whether it may still listen. */
  #each(work: (listener: Listener, mayListen: boolean) => void): void {
    for (const listener of this.#listeners) {
      listener.turn = listener.turn
        .then(() => this.#mayListen(listener))
        .catch(() => false)
        .then((mayListen) => {
          if (!listener.response.writableEnded) work(listener, mayListen)
        })
    }
  }

  /** Not with a key that was revoked, nor after signing out. */
  async #mayListen({ request, caller }: Listener): Promise<boolean> {
    const { name, refusal } = await this.#identify(request)
    return refusal === undefined && name === caller
  }
}
