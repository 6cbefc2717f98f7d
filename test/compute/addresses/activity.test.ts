import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ActiveSets, received, sent } from '#compute/addresses/active-sets.ts'
import { activityColumns, countActive } from '#compute/addresses/count-active.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { Random } from '#test/support/random.ts'
import { replay } from '#test/support/replay.ts'
import { addressOfScript, addressText, replayedActivity } from '#test/support/replayed-addresses.ts'
import { addressesOf, chain, counted, expected, scan, useActivityFolder } from './support/activity-chain.ts'

const folder = useActivityFolder()

describe('active addresses', () => {
  const blocks = path.join(folder, 'blocks')
  const dataDir = path.join(folder, 'data')

  it('are on each day, in seven days and in the month those of a replay', async () => {
    await writeChain(blocks, chain, 480)
    await scan(dataDir, blocks)
    expect(counted(dataDir)).toEqual(expected)
    expect(addressesOf(dataDir).filter((name) => name.endsWith('.counts'))).toHaveLength(5)
  })

  it.each([['a set', /\.sets$/]])('are the same after %s is flipped, which is scanned again', async (_, pattern) => {
    const store = path.join(dataDir, 'raw/addresses')
    const name = addressesOf(dataDir).find((each) => pattern.test(each))
    if (name === undefined) return expect.fail(addressesOf(dataDir).join(' '))
    const bytes = readFileSync(path.join(store, name))
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path.join(store, name), bytes)
    const message = expect.stringMatching(/^files with the active addresses of \d{4}-\d{2} are missing or damaged$/)
    expect(() => counted(dataDir)).toThrow(expect.objectContaining({ code: 'data_not_ready', message }))
    await scan(dataDir, blocks)
    expect(counted(dataDir)).toEqual(expected)
  })

  it('follow a reorganisation into another branch', async () => {
    const other = makeChain(486, 400)
    const branch = path.join(folder, 'branch-blocks')
    await writeChain(branch, other, 485)
    await scan(dataDir, branch)
    expect(counted(dataDir)).toEqual(replayedActivity(replay(other.slice(0, 486).map(({ block }) => block))))
  })

  it('are counted for segments that were scanned without them', async () => {
    const later = path.join(folder, 'later')
    await scan(later, blocks, { addresses: 'off' })
    expect(existsSync(path.join(later, 'raw/addresses'))).toBe(false)
    await scan(later, blocks)
    expect(counted(later)).toEqual(expected)
  })
})

describe('sets', () => {
  it('hold each address once a day with what it did, however many share a prefix', () => {
    const random = new Random(3)
    const sets = new ActiveSets()
    const days = [14_000, 14_001].map((day) => {
      const known = new Map<string, number>()
      for (const what of [received, sent]) {
        const count = 20_000
        const identities = new Uint32Array(2 * count)
        for (let i = 0; i < count; i++) {
          // Half of them begin with the same 16 bits.
          identities[2 * i] = (i % 2 ? 0x1234_0000 + random.between(0, 100) : random.between(0, 2 ** 32 - 1)) >>> 0
          identities[2 * i + 1] = (random.between(0, 100) * 64) >>> 0
          if (i % 1000 === 0) identities.fill(0, 2 * i, 2 * i + 2)
          const key = `${identities[2 * i]} ${identities[2 * i + 1]! >>> 6}`
          if ((identities[2 * i]! | identities[2 * i + 1]!) !== 0) known.set(key, (known.get(key) ?? 0) | what)
        }
        sets.add(identities, count, what)
      }
      sets.endDay(day)
      return { day, known }
    })
    const words = sets.take()
    let head = 0
    for (const { day, known } of days) {
      expect([words[head], words[head + 1]]).toEqual([day, known.size])
      const found = new Map<string, number>()
      for (let at = head + 2; at < head + 2 + 2 * known.size; at += 2) {
        found.set(`${words[at]} ${words[at + 1]! >>> 2}`, words[at + 1]! & 3)
      }
      // A matcher takes seconds for maps of this size.
      expect(found.size).toBe(known.size)
      expect([...known].filter(([key, what]) => found.get(key) !== what)).toEqual([])
      head += 2 + 2 * known.size
    }
    const counts = countActive([words], 14_000, 14_001)
    const column = (name: (typeof activityColumns)[number]): number[] => {
      const at = 2 * activityColumns.indexOf(name)
      return [...counts.subarray(at, at + 2)]
    }
    expect(column('active')).toEqual(days.map(({ known }) => known.size))
    const union = new Set(days.flatMap(({ known }) => [...known.keys()]))
    expect(column('active_7d')).toEqual([days[0]!.known.size, union.size])
    const senders = new Set(
      days.flatMap(({ known }) => [...known].filter(([, what]) => what & sent).map(([key]) => key)),
    )
    expect(column('sending_month').at(-1)).toBe(senders.size)
  })
})

it('the replay tells addresses apart as bitcoinjs-lib does', () => {
  const random = new Random(6)
  const bytes = (length: number): string =>
    Buffer.from(Array.from({ length }, () => random.between(0, 255))).toString('hex')
  const [hash, long, x] = [bytes(20), bytes(32), bytes(32)]
  const scripts = [
    ...[
      `76a914${hash}88ac`,
      `a914${hash}87`,
      `0014${hash}`,
      `0020${long}`,
      `5120${long}`,
      '51024e73',
      `5a04${bytes(4)}`,
    ],
    ...[`2102${x}ac`, `2103${x}ac`, `4104${x}${bytes(31)}04ac`, `4104${x}${bytes(31)}05ac`],
    ...[
      `76a914${hash}88`,
      `a914${hash}8787`,
      `0015${hash}00`,
      '51',
      '6a00',
      `5121${bytes(33)}51ae`,
      '5103000000ff',
      '',
    ],
  ].map((hex) => Buffer.from(hex, 'hex'))
  const [found, expected] = [scripts.map((script) => addressOfScript(script)?.key), scripts.map(addressText)]
  expect(found.map((key) => key !== undefined)).toEqual(expected.map((text) => text !== undefined))
  expect(found.map((key) => found.indexOf(key))).toEqual(expected.map((text) => expected.indexOf(text)))
  expect(new Set(expected).size).toBe(10)
})
