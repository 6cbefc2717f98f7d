import { type EventName, eventNames } from '#contract/events.ts'

/** What each event was last about; empty before the first. Two states are the same where all of it is. */
export type State = Readonly<Record<EventName, string>>

export const nothingYet: State = { generation: '', today: '', market: '' }

/**
 * The id of an event is the whole state after it. So it needs no memory of what was sent: whoever shows the last one that
 * it got is told what differs from it, also by a server that was started since, or by another one of the same data.
 */
export const idOf = (state: State): string => eventNames.map((name) => state[name]).join('.')

/** The state of an id; nothing yet for what is none. */
export function stateOf(id: string | undefined): State {
  const [, generation, today, market] = /^([\w-]{0,64})\.(\d{0,16})\.(\d{0,16})$/.exec(id ?? '') ?? []
  if (generation === undefined || today === undefined || market === undefined) return nothingYet
  return { generation, today, market }
}

/** The events that lead from one state to another, each with the state after it. */
export function stepsBetween(from: State, to: State): { readonly event: EventName; readonly state: State }[] {
  let state = from
  return eventNames.flatMap((event) => {
    if (from[event] === to[event] || to[event] === '') return []
    state = { ...state, [event]: to[event] }
    return [{ event, state }]
  })
}
