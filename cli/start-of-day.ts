import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'

/** When the day of `--since` began, in milliseconds since 1970. Throws `invalid_argument`. */
export function startOfDay(date: string): number {
  const start = Date.parse(date)
  if (z.iso.date().safeParse(date).success && start <= Date.now()) return start
  throw new CoinstrataError('invalid_argument', `--since is "${date}", which is not a past day or today`, {
    cure: 'give a day as YYYY-MM-DD (UTC)',
  })
}
