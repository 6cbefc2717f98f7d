import { isoDate, msPerDay, parseDay } from '#base/days.ts'

/** Dates without words; months and years stand for their days. ISO times are cut. */
const writtenDate =
  /^(?<year>\d{4})(?:[-/.]?(?<month>\d\d)(?:[-/.]?(?<day>\d\d)(?:[t ]\d\d:\d\d.*)?)?)?$|^(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})$|^(?:(?<day>\d\d?)(?:st|nd|rd|th)?\.? )?(?<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: (?<late>\d\d?)(?:st|nd|rd|th)?)? (?<year>\d{4})$|^(?<one>\d\d?)[/-](?<other>\d\d?)[/-](?<year>\d{4})$/
const monthNames = 'janfebmaraprmayjunjulaugsepoctnovdec'
const ago = /^-?(?<count>\d+|an?|one) ?(?<unit>[dwmy])(?:ays?|eeks?|onths?|ears?)?(?: ago)?$/
const rolling = /^(?:last|past|previous) (?<count>\d+) (?<unit>[dwmy])(?:ays?|eeks?|onths?|ears?)$/
const calendar = /^(?<which>last|past|previous|this|current) (?<unit>[wmqy])(?:eek|onth|uarter|ear)$/
/** `Q3 2021`, `2021-H1` or `3rd quarter 2021`. */
const part =
  /^(?<unit>[qh])(?<number>[1-4])[ /-]?(?<year>\d{4})$|^(?<year>\d{4})[ /-]?(?<unit>[qh])(?<number>[1-4])$|^(?<number>[1-4])(?:st|nd|rd|th) (?<unit>[qh])(?:uarter|alf) (?<year>\d{4})$/
const words: Readonly<Record<string, string>> = {
  yesterday: '1d',
  today: '0d',
  now: '0d',
  ytd: 'this year',
  'year to date': 'this year',
  genesis: '2009-01-03',
  inception: '2009-01-03',
  'all time': '2009-01-03',
  all: '2009-01-03',
  max: '2009-01-03',
}

/** Unix days, both included. */
type Period = readonly [first: number, last: number]

const unixDay = (year: number, month: number, day = 1): number => Date.UTC(year, month - 1, day) / msPerDay

function writtenPeriod(parts: Readonly<Record<string, string | undefined>>): Period | undefined {
  const { year = '', name } = parts
  const [one, other] = [Number(parts.one), Number(parts.other)]
  // Americans write the month first; with both below 13 either may be it.
  if (one <= 12 && other <= 12 && one !== other) return undefined
  const [month, day] =
    parts.one === undefined ? [parts.month, parts.day ?? parts.late] : one > 12 ? [other, one] : [one, other]
  const number = name === undefined ? Number(month ?? 1) : monthNames.indexOf(name) / 3 + 1
  const isYear = name === undefined && month === undefined
  const [first, end] = [unixDay(Number(year), number), unixDay(Number(year), number + (isYear ? 12 : 1))]
  if (number < 1 || number > 12 || Number(day ?? 1) < 1 || first + Number(day ?? 1) > end) return undefined
  return day === undefined ? [first, end - 1] : [first + Number(day) - 1, first + Number(day) - 1]
}

function partOfYear({ year, unit, number }: Readonly<Record<string, string | undefined>>): Period | undefined {
  const months = unit === 'q' ? 3 : 6
  const end = Number(number) * months
  return end > 12 ? undefined : [unixDay(Number(year), end - months + 1), unixDay(Number(year), end + 1) - 1]
}

/** Weeks begin on Mondays; a day that a month lacks is its last. */
function daysBefore(today: number, count: number, unit: string): number {
  if (unit === 'd' || unit === 'w') return today - count * (unit === 'w' ? 7 : 1)
  const date = new Date(today * msPerDay)
  const month = date.getUTCMonth() + 1 - count * (unit === 'y' ? 12 : unit === 'q' ? 3 : 1)
  const year = date.getUTCFullYear()
  return Math.min(unixDay(year, month, date.getUTCDate()), unixDay(year, month + 1) - 1)
}

function calendarPeriod(today: number, unit: string, isThis: boolean): Period {
  const date = new Date(today * msPerDay)
  const offsets: Readonly<Record<string, number>> = {
    w: (today + 3) % 7,
    m: date.getUTCDate() - 1,
    q: today - unixDay(date.getUTCFullYear(), date.getUTCMonth() - (date.getUTCMonth() % 3) + 1),
    y: today - unixDay(date.getUTCFullYear(), 1),
  }
  const begin = today - offsets[unit]!
  return isThis ? [begin, daysBefore(begin, -1, unit) - 1] : [daysBefore(begin, 1, unit), begin - 1]
}

/** First or last day of a period in people's words, as YYYY-MM-DD; undefined if unknown. */
export function readSpokenDate(text: string, end: 'first' | 'last', today: number): string | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/,|\bthe |\bof /g, '')
    .replaceAll(/\s+/g, ' ')
  const word = words[plain] ?? plain
  const find = (pattern: RegExp) => pattern.exec(word)?.groups
  const [written, before, last, named, divided] = [writtenDate, ago, rolling, calendar, part].map(find)
  const count = Number((before ?? last)?.count) || Number((before ?? last)?.count !== '0')
  const unit = (before ?? last ?? named)?.unit ?? ''
  const begin = daysBefore(today, count, unit)
  const period =
    (written && writtenPeriod(written)) ??
    (before && [begin, begin]) ??
    (last && [begin + 1, today]) ??
    (divided && partOfYear(divided)) ??
    (named && calendarPeriod(today, unit, /^[tc]/.test(named.which ?? '')))
  return period && isoDate(period[end === 'first' ? 0 : 1]!)
}

/** Days of a duration such as `1 year` or `last 6 months`, up to `today`. */
export function readSpokenDays(text: string, today: number): number | undefined {
  const duration = text.trim().replace(/^(?:the )?(?:last|past|previous) /i, '')
  const first = readSpokenDate(/^[dwmy]/i.test(duration) ? `1 ${duration}` : duration, 'first', today)
  return first === undefined ? undefined : today - parseDay(first)
}
