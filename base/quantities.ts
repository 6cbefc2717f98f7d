/** `1,234,567` */
export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-US')

export const formatDecimals = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${formatDecimals(bytes / 1000 ** power, power === 0 ? 0 : 1)} ${units[power]}`
}

/** `4.1 s`, `41 s`, `2 min 5 s`, `1 h 12 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${formatDecimals(seconds, seconds < 10 ? 1 : 0)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
