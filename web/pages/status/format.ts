import type { Status } from '#contract/status.ts'
import { writeCount } from '../../parts/numbers.ts'

export const formatProved = (proved: Status['generations'][number]['proved']): string =>
  proved
    ? `${writeCount(proved.blocks)} of ${writeCount(proved.of)} blocks`
    : 'unknown until the next "coinstrata update"'

type CoinProof = NonNullable<Status['generations'][number]['proved_coins']>

export const formatCoinProof = ({ coins, height, date }: CoinProof): string =>
  `${writeCount(coins)} coins after block ${writeCount(height)} (${date})`

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** `2026-11-22 05:41 UTC`. */
export const formatMinute = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`

/** `41 s`, `2 min 5 s`, `1 h 12 min`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1000)
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Time since the last day of a table. */
export function formatDayAge(date: string, now: number): string {
  const days = Math.floor((now - Date.parse(`${date}T00:00:00Z`)) / 86_400_000)
  if (days <= 0) return 'today'
  return days === 1 ? 'yesterday' : `${days} days ago`
}
