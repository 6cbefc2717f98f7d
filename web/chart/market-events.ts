import { parseDay } from '#base/days.ts'
import events from '../../data/reference/events.json' with { type: 'json' }

export const marketEvents = events.map(({ date, label }) => ({ day: parseDay(date), label }))
