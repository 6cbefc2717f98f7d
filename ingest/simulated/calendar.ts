import { parseDay, secondsPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { networks } from '../chain/networks.ts'
import { Random } from './random.ts'

export const genesisDay = parseDay('2009-01-03')
export const genesisTime = 1_231_006_505

const { halvingInterval } = networks.simulated

/**
 * From these heights on, blocks are spread evenly over the days to the next entry. 4 to 8 January
 * 2009 are empty, as on mainnet.
 */
const epochs = [
  { height: 1, day: parseDay('2009-01-09') },
  { height: halvingInterval, day: parseDay('2012-11-28') },
  { height: 2 * halvingInterval, day: parseDay('2016-07-09') },
  { height: 3 * halvingInterval, day: parseDay('2020-05-11') },
  { height: 4 * halvingInterval, day: parseDay('2024-04-20') },
]
const projectedEpochDays = 1440

/** Scheduled days since 1970, with a fraction. */
function scheduledDay(height: number): number {
  const index = Math.floor(height / halvingInterval)
  const epoch = epochs[index]
  const next = epochs[index + 1]
  if (epoch !== undefined && next !== undefined) {
    return epoch.day + ((height - epoch.height) * (next.day - epoch.day)) / (next.height - epoch.height)
  }
  const last = epochs[epochs.length - 1]!
  return last.day + ((height - last.height) * projectedEpochDays) / halvingInterval
}

export const blockDay = (height: number): number => (height === 0 ? genesisDay : Math.floor(scheduledDay(height)))

/** Last block on or before the unix day `day`. */
export function lastHeightOn(day: number): number {
  if (!Number.isInteger(day) || day < genesisDay) {
    throw new CoinstrataError('invalid_argument', `the simulated chain cannot end on day ${day}`, {
      cure: 'choose a day from 2009-01-03 on',
    })
  }
  let low = 0
  let high = halvingInterval
  while (blockDay(high) <= day) high *= 2
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (blockDay(middle) <= day) low = middle
    else high = middle
  }
  return low
}

/** Unix seconds. Some are minutes late, or before their predecessor's. */
export function blockTime(seed: number, height: number): number {
  if (height === 0) return genesisTime
  if (height > 1 && blockDay(height) === blockDay(height - 1)) {
    const random = new Random(seed, 'odd time', height)
    const kind = random.next()
    if (kind < 0.06) return scheduledTime(seed, height - 1) + 60 * (5 + random.integer(50))
    if (kind < 0.09) return scheduledTime(seed, height - 1) - 60 * (1 + random.integer(9))
  }
  return scheduledTime(seed, height)
}

function scheduledTime(seed: number, height: number): number {
  const due = scheduledDay(height)
  const day = Math.floor(due)
  const share = due - day + new Random(seed, 'time', height).between(-0.1, 0.1)
  return Math.round((day + Math.min(0.99, Math.max(0.01, share))) * secondsPerDay)
}
