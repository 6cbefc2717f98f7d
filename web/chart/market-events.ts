import { dayOf } from '#base/days.ts'
import events from '../../data/reference/events.json' with { type: 'json' }

/** What happened in the market, as the API's charts have it. */
export const marketEvents = events.map(({ date, label }) => ({ day: dayOf(date), label }))
