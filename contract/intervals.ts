import { isoDate } from '#root/days.ts'

/** Of days, weeks and months the newest day with rows stands for the whole. */
export const intervals = ['1d', '1w', '1m'] as const
export type Interval = (typeof intervals)[number]

export const usualInterval: Interval = '1d'
export const intervalMeaning = 'Every day, or the newest day of each week (from Monday) or month'

/** The first unix day of the period of an interval that a unix day lies in: the days of one period share it. */
export function periodOf(day: number, interval: Interval): number {
  switch (interval) {
    case '1d':
      return day
    case '1w':
      // 1970-01-01 was a Thursday.
      return day - ((day + 3) % 7)
    case '1m':
      return day - Number(isoDate(day).slice(8)) + 1
  }
}
