import { expect, test } from 'vitest'
import { createBlockPools } from '#compute/publish/block-pools.ts'
import { builtInPools, type MiningPool } from '#ingest/market/mining-pools.ts'
import { rowsRelation } from '#sql/rows.ts'
import { freshDataFolders, session } from '#test/ingest/market/data-folder.ts'
import { realCoinbases } from '#test/ingest/market/real-coinbases.ts'

freshDataFolders()

interface Coinbase {
  readonly height: number
  readonly text: string
  readonly payouts: string
}

const columns = { height: 'INTEGER', text: 'VARCHAR', payouts: 'VARCHAR' } as const

function attribute(pools: readonly MiningPool[], coinbases: readonly Coinbase[], afterHeight = -1) {
  return session(async (connection) => {
    const relation = rowsRelation('segment_coinbases', columns, coinbases)
    const found = await createBlockPools(connection, pools, relation, { after_height: afterHeight })
    const result = await connection.runAndReadAll(`SELECT height, pool FROM ${found.from} ORDER BY height`)
    return result.getRowsJson()
  })
}

const latin1 = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1')

test('real coinbases belong to the pools that the public list says, and unknown ones to none', async () => {
  const rows = realCoinbases.map(({ height, script, payouts }) => ({
    height,
    text: latin1(script),
    payouts: payouts.join(),
  }))
  const expected = realCoinbases.flatMap(({ height, pool }) => (pool === null ? [] : [[height, pool]]))
  expect(await attribute(builtInPools(), rows)).toEqual(expected)
  expect(expected.length).toBeGreaterThanOrEqual(40)
  expect(realCoinbases.length - expected.length).toBeGreaterThanOrEqual(5)
})

const pool = (id: string, scripts: readonly string[], ...tags: readonly string[]): MiningPool => ({
  id,
  name: id,
  link: null,
  scripts,
  tags,
})

test('payouts come before tags, and the order of the list decides among each', async () => {
  const pools = [pool('first', ['aa'], '/Later/'), pool('second', ['bb', 'cc'], 'arly/!'), pool('third', [], '/EARLY/')]
  const coinbases = [
    // The smaller payout is that of the pool that comes first.
    { height: 1, text: '', payouts: 'cc,aa' },
    { height: 2, text: '/Later/', payouts: 'bb' },
    // The first tag in the text is that of a later pool.
    { height: 3, text: 'x/early/ /LATER/', payouts: 'dd' },
    { height: 4, text: '\u0000/early/', payouts: '' },
    // Both tags overlap.
    { height: 5, text: '/early/!', payouts: 'aabb' },
    { height: 6, text: 'later', payouts: 'b' },
  ]
  const expected = [
    [1, 'first'],
    [2, 'second'],
    [3, 'first'],
    [4, 'third'],
    [5, 'second'],
  ]
  expect(await attribute(pools, coinbases)).toEqual(expected)
  expect(await attribute(pools, coinbases, 3)).toEqual(expected.slice(3))
})

test('tags that are not ASCII are found by their UTF-8 bytes', async () => {
  const text = Buffer.from('\u0003七彩神仙鱼🐟').toString('latin1')
  expect(await attribute(builtInPools(), [{ height: 7, text, payouts: '' }])).toEqual([[7, 'f2pool']])
})
