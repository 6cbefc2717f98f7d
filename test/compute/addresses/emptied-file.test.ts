import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type EmptiedFile,
  EmptiedReader,
  EmptiedWriter,
  joinEmptied,
  type Marks,
} from '#compute/addresses/emptied-file.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { Random } from '#test/support/random.ts'

const folder = temporaryFolder('emptied')
afterAll(() => rmSync(folder, { recursive: true }))

type Address = readonly [high: number, low: number, day: number]

const partition = 13
const first = partition * 2 ** 28

const inOrder = ([high, low]: Address, [otherHigh, otherLow]: Address): number => high - otherHigh || low - otherLow

/** Some far apart, some neighbours, and the first and the last that a partition can have. */
function makeAddresses(random: Random, count: number, until: number): Address[] {
  const found = new Map<string, Address>()
  const add = (high: number, low: number): void =>
    void found.set(`${high} ${low}`, [high, low, random.between(Math.max(0, until - 2000), until)])
  for (const low of [0, 2 ** 32 - 1]) for (const high of [first, first + 2 ** 28 - 1]) add(high, low)
  while (found.size < count) {
    const high = first + random.between(0, 2 ** 28 - 1)
    add(high, random.between(0, 2 ** 32 - 1))
    if (random.next() < 0.2) add(high, random.between(0, 2 ** 32 - 1))
    if (random.next() < 0.1) add(Math.min(high + 1, first + 2 ** 28 - 1), random.between(0, 1))
  }
  return [...found.values()].sort(inOrder)
}

function write(name: string, addresses: readonly Address[], expected: number, until: number): EmptiedFile {
  const writer = new EmptiedWriter(folder, name, partition, expected, until)
  for (const address of addresses) writer.add(...address)
  return writer.finish()
}

function read(file: EmptiedFile, marks?: Marks): Address[] {
  const reader = new EmptiedReader(folder, file, partition)
  const found: Address[] = []
  while (marks ? reader.next(marks) : reader.next()) found.push([reader.high, reader.low, reader.day])
  expect(reader.hasEnded).toBe(true)
  return found
}

describe.each([
  ['wide', 100],
  // As in a partition of mainnet, but with few addresses, so that most records only pass distances.
  ['narrow', 2 ** 24],
])('%s records', (name, expected) => {
  const until = 6_500
  const addresses = makeAddresses(new Random(expected), 2_000, until)

  it('have every address with its day, in pieces that no address fits into whole', () => {
    const file = write(name, addresses, expected, until)
    expect(file.addresses).toBe(addresses.length)
    expect(file.wide).toBe(name === 'wide')
    expect(file.records > 2 ** 18).toBe(name === 'narrow')
    expect(read(file)).toEqual(addresses)
  })

  it('do not tell days apart that are more than five years ago', () => {
    const old: Address[] = [
      [first, 1, 100],
      [first, 2, until - 2046],
      [first, 3, until - 2045],
    ]
    const days = read(write(`${name}-old`, old, expected, until)).map(([, , day]) => day)
    expect(days).toEqual([until - 2046, until - 2046, until - 2045])
  })

  it('are found by marks', () => {
    const file = write(name, addresses, expected, until)
    const wanted = addresses.filter((_, i) => i % 50 === 0)
    for (const shift of [1, 4, 18]) {
      const bits = new Uint32Array(2 ** (28 - shift - 5))
      const markOf = ([high]: Address): number => (high - first) >>> shift
      for (const address of wanted) bits[markOf(address) >>> 5]! |= 1 << (markOf(address) & 31)
      const marks = new Set(wanted.map(markOf))
      expect(read(file, { bits, shift })).toEqual(addresses.filter((address) => marks.has(markOf(address))))
    }
  })

  it('are refused if a bit is flipped, and removed', () => {
    const random = new Random(4)
    for (let i = 0; i < 6; i++) {
      const file = write(`${name}-flipped`, addresses, expected, until)
      const target = path.join(folder, file.name)
      const bytes = readFileSync(target)
      bytes[random.between(0, bytes.length - 1)]! ^= 1 << random.between(0, 7)
      writeFileSync(target, i === 0 ? bytes.subarray(0, bytes.length - 5) : bytes)
      expect(() => read(file)).toThrow(expect.objectContaining({ code: 'data_not_ready' }))
      expect(existsSync(target)).toBe(false)
    }
  })
})

it('files are joined, and an address that is in several has its latest day', () => {
  const random = new Random(9)
  const lists = [300, 40, 0, 170].map((count) => (count === 0 ? [] : makeAddresses(random, count, 900)))
  // Some are in two of them.
  lists[1] = [...lists[1]!, ...lists[0]!.slice(10, 60).map(([high, low]): Address => [high, low, 901])].sort(inOrder)
  const unique = (list: readonly Address[]): Address[] => [
    ...new Map(list.map((one) => [`${one[0]} ${one[1]}`, one])).values(),
  ]
  lists[1] = unique(lists[1])
  const files = lists.map((list, i) => write(`joined-${i}`, list, 10, 901 + i))
  const latest = new Map<string, Address>()
  for (const one of lists.flat()) {
    const key = `${one[0]} ${one[1]}`
    if ((latest.get(key)?.[2] ?? -1) < one[2]) latest.set(key, one)
  }
  const joined = joinEmptied(folder, files, 'joined', partition)
  expect(joined.until).toBe(904)
  expect(read(joined)).toEqual([...latest.values()].sort(inOrder))
})
