import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { addressFiles, damagedBalances } from '#compute/addresses/address-files.ts'
import {
  type EmptiedList,
  EmptiedReader,
  type EmptiedSource,
  joinEmptied,
  type Marks,
} from '#compute/addresses/emptied-list.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { Random } from '#test/support/random.ts'

const folder = temporaryFolder('emptied')
afterAll(() => rmSync(folder, { recursive: true }))

type Address = readonly [high: number, low: number, day: number, hasSpentLarge: boolean]

const files = addressFiles(folder, folder, damagedBalances)
const partition = 13
const first = partition * 2 ** 28

const inOrder = ([high, low]: Address, [otherHigh, otherLow]: Address): number => high - otherHigh || low - otherLow

/** Some far apart, some neighbours, and the first and the last that a partition can have. */
function makeAddresses(random: Random, count: number, until: number): Address[] {
  const found = new Map<string, Address>()
  const add = (high: number, low: number): void =>
    void found.set(`${high} ${low}`, [high, low, random.between(Math.max(0, until - 2000), until), random.next() < 0.3])
  for (const low of [0, 2 ** 32 - 1]) for (const high of [first, first + 2 ** 28 - 1]) add(high, low)
  while (found.size < count) {
    const high = first + random.between(0, 2 ** 28 - 1)
    add(high, random.between(0, 2 ** 32 - 1))
    if (random.next() < 0.2) add(high, random.between(0, 2 ** 32 - 1))
    if (random.next() < 0.1) add(Math.min(high + 1, first + 2 ** 28 - 1), random.between(0, 1))
  }
  return [...found.values()].sort(inOrder)
}

function listSource(addresses: readonly Address[]): EmptiedSource {
  let i = 0
  const source = {
    high: 0,
    low: 0,
    day: 0,
    hasSpentLarge: false,
    next: () => {
      const [high, low, day, hasSpentLarge] = addresses[i++] ?? [Number.POSITIVE_INFINITY, 0, 0, false]
      Object.assign(source, { high, low, day, hasSpentLarge })
    },
  }
  return source
}

function write(name: string, addresses: readonly Address[], until: number): EmptiedList {
  const list = { name, until }
  joinEmptied(files, [listSource(addresses)], list, partition)
  return list
}

function read(list: EmptiedList, marks?: Marks): Address[] {
  const reader = new EmptiedReader(files, list, partition, marks)
  const found: Address[] = []
  while (reader.next()) found.push([reader.high, reader.low, reader.day, reader.hasSpentLarge])
  return found
}

const until = 6_500

/** As dense as in a partition of mainnet, in several pieces. */
function makeDense(random: Random, count: number): Address[] {
  let [high, low] = [first + 2 ** 27, 0]
  return Array.from({ length: count }, () => {
    low += random.between(1, 2 ** 32 - 1)
    high += random.between(0, 20) + Number(low >= 2 ** 32)
    low %= 2 ** 32
    return [high, low, random.between(until - 2045, until), random.next() < 0.5]
  })
}

describe.each([
  ['far apart', makeAddresses(new Random(100), 2_000, until)],
  ['close together', makeDense(new Random(101), 150_000)],
])('addresses that are %s', (name, addresses) => {
  it('come back with their days and spends', () => {
    expect(read(write(name, addresses, until))).toEqual(addresses)
  })

  it('are found by marks', () => {
    const list = write(name, addresses, until)
    const wanted = addresses.filter((_, i) => i % 50 === 0)
    for (const shift of [1, 4, 18]) {
      const bits = new Uint32Array(2 ** (28 - shift - 5))
      const toMark = ([high]: Address): number => (high - first) >>> shift
      for (const address of wanted) bits[toMark(address) >>> 5]! |= 1 << (toMark(address) & 31)
      const marks = new Set(wanted.map(toMark))
      expect(read(list, { bits, shift })).toEqual(addresses.filter((address) => marks.has(toMark(address))))
    }
  })

  it('are refused if a bit is flipped, and removed', () => {
    const random = new Random(4)
    for (let i = 0; i < 6; i++) {
      const list = write(`flipped-${name}`, addresses, until)
      const target = path.join(folder, list.name)
      const bytes = readFileSync(target)
      bytes[random.between(0, bytes.length - 1)]! ^= 1 << random.between(0, 7)
      writeFileSync(target, i === 0 ? bytes.subarray(0, bytes.length - 5) : bytes)
      expect(() => read(list)).toThrow(expect.objectContaining({ code: 'data_not_ready' }))
      expect(existsSync(target)).toBe(false)
    }
  })
})

it('days of more than five years ago are not told apart, and differ from none', () => {
  const old: Address[] = [
    [first, 1, 100, true],
    [first, 2, until - 2045, false],
    [first, 3, until - 2044, false],
    // Only ever spent outputs without a value.
    [first, 4, -1, false],
  ]
  const days = read(write('old', old, until)).map(([, , day]) => day)
  expect(days).toEqual([until - 2045, until - 2045, until - 2044, -1])
})

it('a mainnet-like list takes six bytes for an address, and one of few at most twelve', () => {
  for (const [addresses, bytes] of [
    [makeDense(new Random(5), 100_000), 8],
    [makeAddresses(new Random(5), 1_000, until), 12],
  ] as const) {
    const { size } = statSync(path.join(folder, write('size', addresses, until).name))
    expect(size).toBeLessThan(bytes * addresses.length + 200)
  }
})

it('lists are joined, and an address that is in several has its latest day and all spends', () => {
  const random = new Random(9)
  const lists = [300, 40, 0, 170].map((count) => (count === 0 ? [] : makeAddresses(random, count, 900)))
  // Some are in two of them.
  const again = lists[0]!.slice(10, 60).map(([high, low]): Address => [high, low, 901, random.next() < 0.5])
  const byIdentity = new Map([...lists[1]!, ...again].map((one) => [`${one[0]} ${one[1]}`, one]))
  lists[1] = [...byIdentity.values()].sort(inOrder)
  const readers = lists.map((list, i) => new EmptiedReader(files, write(`joined-${i}`, list, 901 + i), partition))
  const joined = new Map<string, Address>()
  for (const [high, low, day, spent] of lists.flat()) {
    const [, , otherDay = 0, otherSpent = false] = joined.get(`${high} ${low}`) ?? []
    joined.set(`${high} ${low}`, [high, low, Math.max(day, otherDay), spent || otherSpent])
  }
  const list = { name: 'joined', until: 904 }
  joinEmptied(files, readers, list, partition)
  expect(read(list)).toEqual([...joined.values()].sort(inOrder))
})
