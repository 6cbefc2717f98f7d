import { parseDay } from '#base/days.ts'
import { isOutputType, type OutputType } from './output-scripts.ts'
import type { Random } from './random.ts'

export const segwitDay = parseDay('2017-08-24')

/** Relative frequencies from a day on. */
const eras: readonly { from: number; frequencies: Partial<Record<OutputType, number>> }[] = [
  {
    from: parseDay('2009-01-03'),
    frequencies: { 'uncompressed-key': 70, 'key-hash': 29, 'non-standard': 1 },
  },
  {
    from: parseDay('2010-06-01'),
    frequencies: { 'key-hash': 88, 'uncompressed-key': 8, key: 3, 'non-standard': 1 },
  },
  {
    from: parseDay('2012-04-01'),
    frequencies: { 'key-hash': 92, 'script-hash': 3, key: 2, 'uncompressed-key': 1, multisig: 1, 'non-standard': 1 },
  },
  {
    from: parseDay('2014-03-19'),
    frequencies: { 'key-hash': 78, 'script-hash': 16, data: 3, multisig: 1.5, key: 0.5, 'non-standard': 0.5 },
  },
  {
    from: segwitDay,
    frequencies: {
      'key-hash': 55,
      'script-hash': 30,
      'witness-key-hash': 9,
      data: 4,
      'witness-script-hash': 2,
      multisig: 0.3,
      'non-standard': 0.3,
      'later-witness': 0.2,
    },
  },
  {
    from: parseDay('2021-11-14'),
    frequencies: {
      'witness-key-hash': 36,
      'key-hash': 28,
      'script-hash': 18,
      taproot: 9,
      data: 6,
      'witness-script-hash': 3,
      'later-witness': 0.3,
      'non-standard': 0.3,
      multisig: 0.2,
    },
  },
]

export function drawOutputType(random: Random, day: number): OutputType {
  const { frequencies } = eras.findLast(({ from }) => from <= day) ?? eras[0]!
  let rest = random.next() * Object.values(frequencies).reduce((sum, frequency) => sum + frequency, 0)
  const types = Object.keys(frequencies).filter(isOutputType)
  for (const type of types) {
    rest -= frequencies[type]!
    if (rest < 0) return type
  }
  return types[0]!
}

export function drawSpendableType(random: Random, day: number): OutputType {
  const type = drawOutputType(random, day)
  return type === 'data' ? 'key-hash' : type
}
