import { median } from 'd3-array'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { formatDecimals } from '#base/quantities.ts'
import { refuse } from './csv.ts'
import { daily, isTraded, type PriceFile, tradedBtc } from './price-file.ts'
import { type DailyPrices, toCloseOn } from './prices.ts'

/**
 * No daily close ever doubled or halved, and none changed more than fivefold within 20 days, so
 * larger jumps are errors: a missing digit, cents, another currency. Longer gaps allow larger ones,
 * but never from dollars to cents.
 */
const maxJump = 5
const maxJumpMs = 20 * msPerDay
const maxJumpAfterGap = 50

/** The widest days are 2013-04-12 (low 54, close 117) and, in cents, 2010-10-08 (0.01 and 0.08). */
const maxSpread = 2.5
const maxSpreadOfCents = 10

/** Largest distance from the stored low or high of the day, which may both be its close. */
const maxDistance = { days: 1.5, hours: 2.5 }

/** Lines of which the median close is compared with the store, and its largest difference. */
const comparedLines = 10
const maxDifference = 0.05

const cure =
  'correct the line: prices are in USD, days and hours in UTC; if it is right, import the file with --allow-jumps'

/**
 * Compares all columns with each other, with the lines before, and with stored prices. Throws
 * `invalid_file` for values that no market had.
 */
export function checkPlausible({ table, spacing, lines }: PriceFile, known: DailyPrices | undefined): void {
  const doubt = (line: number, what: string) => refuse(table, line, what, cure)
  const step = lines.slice(1).reduce((least, { row }, i) => Math.min(least, row.time - lines[i]!.row.time), 1e15)
  if (lines.length > 2 && step > (spacing === daily ? 2 * msPerDay : spacing.lengthMs))
    throw doubt(lines[1]!.line, `one line in ${step / spacing.lengthMs} ${spacing.name}`)
  if (!isTraded(lines, spacing)) throw doubt(lines[0]!.line, 'the volume is in another unit, or of another market')

  const closeOn = known ? toCloseOn(known) : () => Number.NaN
  const first = dayAt(lines[0]!.row.time)
  let previous: { readonly time: number; readonly close: number; readonly of: string } | undefined
  if (known && first >= known.firstDay) {
    const day = Number.isNaN(closeOn(first)) ? known.firstDay + known.close.length - 1 : first
    previous = { time: day * msPerDay, close: closeOn(day), of: `${isoDate(day)} in the store` }
  }
  const volumes: number[] = []
  for (const { line, row } of lines) {
    const { time, high, low, close, volume_btc, volume_usd } = row
    if (volume_btc === 0 || volume_usd === 0) continue
    if (previous) {
      const factor = distance(close, previous.close)
      if (factor > Math.min(maxJumpAfterGap, maxJump ** Math.max(1, (time - previous.time) / maxJumpMs))) {
        const times = close > previous.close ? `${Math.round(factor)} times` : `1/${Math.round(factor)} of`
        throw doubt(line, `close ${close} is ${times} that of ${previous.of}, ${previous.close}`)
      }
    }
    previous = { time, close, of: spacing.format(time) }
    const spread = close < 1 ? maxSpreadOfCents : maxSpread
    if (high > spread * close) throw doubt(line, `high ${high} is far above close ${close}`)
    if (Math.max(low, close < 1 ? 0.01 : 0) * spread < close)
      throw doubt(line, `low ${low} is far below close ${close}`)
    const [btc, usual] = [tradedBtc(row), median(volumes.slice(-7)) ?? Number.NaN]
    if (close >= 100 && spacing === daily && distance(btc, usual) > Math.max(300, close ** 0.8))
      throw doubt(
        line,
        `the volume is ${formatDecimals(btc, 1)} BTC, and ${formatDecimals(usual, 1)} BTC on the days before`,
      )
    if (distance(volume_usd ?? btc * close, btc * close) > maxSpread)
      throw doubt(line, `${volume_usd} USD is not the price of ${volume_btc} BTC`)
    if (btc > 0) volumes.push(btc)
    const stored = dayAt(time) - (known?.firstDay ?? Number.NaN)
    if (close < 1 || !known?.sources[stored]) continue
    const reach = maxDistance[spacing.name]
    const [lowest, highest] = [known.low[stored]! / reach, known.high[stored]! * reach]
    if (close < lowest || close > highest || low < lowest / 2 || high > highest * 2)
      throw doubt(line, `${low} to ${high} is far from the stored ${known.low[stored]} to ${known.high[stored]}`)
  }
  if (!known || spacing !== daily) return
  for (let at = 0; at < lines.length; at += comparedLines) {
    const stored = lines
      .slice(at, at + comparedLines)
      .filter(({ row }) => row.close >= 1 && known.sources[dayAt(row.time) - known.firstDay])
    const [here = 0, before = 0, after = 0] = [0, -1, 1].map((days) =>
      median(stored, ({ row }) => distance(row.close, closeOn(dayAt(row.time) + days)) - 1),
    )
    if (stored.length < comparedLines / 2 || here < 0.005) continue
    const from = `${spacing.format(stored[0]!.row.time)} to ${spacing.format(stored.at(-1)!.row.time)}: closes`
    if (Math.min(before, after) < here / 4)
      throw doubt(stored[0]!.line, `${from} are those of the day ${before < after ? 'before' : 'after'} in the store`)
    if (here > maxDifference)
      throw doubt(stored[0]!.line, `${from} differ from the store by ${Math.round(100 * here)} %`)
  }
}

const distance = (a: number, b: number): number => Math.max(a / b, b / a)
