import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { openInterestSeries } from '../futures-series.ts'
import type { Observation } from '../observations.ts'
import type { MarketSource } from '../source.ts'
import { decimal, openInterest } from '../wire.ts'
import { unzipOnlyFile } from '../zip.ts'

const exchange = 'binance'
const instrument = 'BTCUSDT'

const samples = z.array(
  z.object({
    create_time: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    symbol: z.literal(instrument),
    sum_open_interest: decimal,
  }),
)

/**
 * Open interest since September 2020 from daily files of five-minute samples; the API keeps thirty
 * days.
 */
export const binanceArchive: MarketSource = {
  id: 'binance-archive',
  name: 'Binance public archive',
  baseUrl: 'https://data.binance.vision',
  requestsPerMinute: 600,
  series: [
    openInterestSeries(exchange, instrument, {
      startsAt: Date.UTC(2020, 8, 1),
      windowMs: msPerDay,
      fetch: async (http, from, to) => {
        // A day's file is complete a day later.
        if (to - from < msPerDay) return []
        const date = isoDate(dayAt(from))
        const file = `${instrument}-metrics-${date}.zip`
        const archive = await http.bytes(`/data/futures/um/daily/metrics/${instrument}/${file}`)
        return archive ? lastSample(archive, file, date) : []
      },
    }),
  ],
}

/**
 * Some files begin, others end with midnight: the day's value is the last sample before the next
 * midnight.
 */
function lastSample(archive: Buffer, file: string, date: string): Observation<'open_interest'>[] {
  try {
    const rows = samples.parse(parse(unzipOnlyFile(archive), { columns: true, bom: true }))
    const last = rows.filter((row) => row.create_time.startsWith(`${date} 23:`)).at(-1)
    if (!last) return []
    const time = Date.parse(`${last.create_time.replace(' ', 'T')}Z`)
    return [openInterest(exchange, instrument, time, last.sum_open_interest, 'btc')]
  } catch (cause) {
    if (cause instanceof CoinstrataError) throw cause
    throw new CoinstrataError('market_source_failed', `${file} of the Binance archive cannot be read`, {
      cure: 'the next run asks for it again',
      cause,
    })
  }
}
