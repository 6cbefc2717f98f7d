import { type EventName, eventNames } from '#contract/events.ts'

/** What each event was last about; empty before the first. */
export type EventState = Readonly<Record<EventName, string>>

export const initialState: EventState = { generation: '', today: '', market: '' }

/**
 * The id of an event is the whole state after it. So no server needs to remember what it sent: a client that shows its
 * last id gets whatever differs from it, from any server of the same data.
 */
export const formatEventId = (state: EventState): string => eventNames.map((name) => state[name]).join('.')

/** Parses an event id; an invalid one counts as the state before the first event. */
export function parseEventId(id: string | undefined): EventState {
  const [, generation, today, market] = /^([\w-]{0,64})\.(\d{0,16})\.(\d{0,16})$/.exec(id ?? '') ?? []
  if (generation === undefined || today === undefined || market === undefined) return initialState
  return { generation, today, market }
}

/** The events between two states, each with the state after it. */
export function stepsBetween(
  from: EventState,
  to: EventState,
): { readonly event: EventName; readonly state: EventState }[] {
  let state = from
  return eventNames.flatMap((event) => {
    if (from[event] === to[event] || to[event] === '') return []
    state = { ...state, [event]: to[event] }
    return [{ event, state }]
  })
}
