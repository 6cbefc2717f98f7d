import { formatMinute } from '#base/days.ts'
import type { Meta } from '#contract/envelope.ts'
import type { SearchResult } from '#contract/search/search.ts'

export const simulatedNote = 'Made-up data of a simulated chain, not of Bitcoin.'

export const historyNote = (limit: string): string =>
  `This connection sees days from ${limit} on. Tier pro or higher sees all history.`

export const withNotes = (notes: readonly string[]) => (notes.length > 0 ? { notes: [...notes] } : {})

const staleAfterHours = 48

/** Limits of all data behind an answer: made up, or old. */
export function dataNotes(metas: readonly Meta[], now: number): string[] {
  const published = metas.flatMap(({ generation }) => {
    const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(generation) ?? []
    return year === undefined ? [] : [Date.parse(`${year}-${month}-${day}T${hour}:${minute}Z`)]
  })
  const newest = Math.max(...published)
  const hours = (now - newest) / 3_600_000
  return [
    ...(metas.some(({ simulated }) => simulated) ? [simulatedNote] : []),
    ...(published.length > 0 && hours > staleAfterHours
      ? [`The newest data were published ${formatMinute(newest)}, ${Math.floor(hours / 24)} days ago.`]
      : []),
  ]
}

/** Notes on `meta`, except for cut history. */
export function metaNotes({ simulated, withheld, withheld_tier, note }: Meta): string[] {
  return [
    ...(simulated ? [simulatedNote] : []),
    ...(withheld ? [`Left out, because they need tier ${withheld_tier ?? 'pro'}: ${withheld.join(', ')}.`] : []),
    ...(note === undefined ? [] : [`No rows: ${note}.`]),
  ]
}

export function seriesNotes(meta: Meta, isRangeCut = false): string[] {
  const { history_limited_to: cutAt } = meta
  if (cutAt === undefined) return metaNotes(meta)
  return [...metaNotes(meta), `${historyNote(cutAt)}${isRangeCut ? ' The range is cut to them.' : ''}`]
}

export const onlySince = ({ history_limited_to: cutAt }: Meta) => (cutAt === undefined ? {} : { only_since: cutAt })

export const notTrackedNote = ({ notTracked }: Pick<SearchResult<unknown>, 'notTracked'>) =>
  notTracked === undefined ? {} : { not_tracked: notTracked }
