import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { lostTypes, scriptTypes } from '#contract/kinds.ts'
import type { TableName } from '#contract/tables/tables.ts'
import { digestFile } from '#sql/file-digest.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { writeParquet } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { findBitcoind, startNode } from '#test/support/bitcoind.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { dumpedBalances } from '#test/support/dumped-addresses.ts'
import { serveBefore } from '#test/support/node-proxy.ts'
import { coinstrata, type Outcome } from '#test/support/program.ts'
import { currentFolder, publishedBytes, publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { type RegtestChain, regtestChain } from '#test/support/regtest.ts'
import { replay } from '#test/support/replay.ts'
import { replayedBalances } from '#test/support/replayed-addresses.ts'
import { ReadChain } from './support/read-chain.ts'

const bitcoind = findBitcoind()

/** One node and its chain; each step goes on where the last one ended. */
describe.skipIf(!bitcoind)('a chain of many years that a real node makes', { timeout: 600_000 }, () => {
  let read: ReadChain
  let chain: RegtestChain

  beforeAll(async () => {
    chain = await regtestChain(bitcoind!, 260)
    read = await ReadChain.start(chain)
    await chain.grow(95)
  })
  afterAll(() => read?.stop())

  it('gives the tables of a replay of all its outputs', async () => {
    expect(await read.published('files and RPC', 'grown')).toBe(356)
    const [row] = await rowsOf(
      `SELECT sum(transactions) > 1000, sum(taproot_outputs) > 0, sum(segwit_outputs) > 0, sum(op_return_outputs) > 0,
         sum(unspendable_outputs) > sum(op_return_outputs) FROM ${publishedTable(read.dataDir('grown'), 'blocks')}`,
    )
    expect(row).toEqual(['true', 'true', 'true', 'true', 'true'])
    const typesIn = async (table: 'created_kinds' | 'kind_flows'): Promise<unknown[]> =>
      (
        await rowsOf(
          `SELECT DISTINCT script_type FROM ${publishedTable(read.dataDir('grown'), table)}
           JOIN ${publishedTable(read.dataDir('grown'), 'kinds')} USING (kind)`,
        )
      ).flat()
    expect((await typesIn('created_kinds')).sort()).toEqual([...scriptTypes].sort())
    expect((await typesIn('kind_flows')).sort()).toEqual(scriptTypes.filter((type) => !lostTypes.includes(type)).sort())
    await read.expectEqualToReplay('grown')
  })

  it('has on every day the supply that the node counts', async () => {
    expect(await read.expectSupplyOfNode('grown')).toBeGreaterThan(100)
  })

  it('gives after a reorganisation of 8 blocks the tables of a replay', () =>
    read.expectReorganised('grown', async () =>
      expect(await read.published('files and RPC', 'grown')).toBeLessThan(100),
    ))

  it('asks the node where two undo records fit a block, and without it names the block and publishes nothing', async () => {
    copyFolder(read.dataDir('grown'), read.dataDir('without-node'))
    const height = await chain.mineSiblings()
    await read.published('files and RPC', 'grown')
    await read.expectEqualToReplay('grown')

    const before = publishedBytes(read.dataDir('without-node'))
    const { exitCode, stderr } = await read.update(read.sources.files(), 'without-node')
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(
      new RegExp(
        `2 undo records in \\S+rev\\d+\\.dat \\(offsets \\d+, \\d+\\) fit block ${height} .*undo_ambiguous.*\n.*RPC`,
      ),
    )
    expect(publishedBytes(read.dataDir('without-node'))).toEqual(before)
  })

  it('leaves out a branch with more work that the node was told to hold for invalid', async () => {
    const { height } = await chain.invalidateMoreWork()
    await read.published('files and RPC', 'grown')
    await read.published('RPC', 'rpc')
    expect(read.readGeneration('grown').tip.height).toBe(height)
    expect(await tableDifferences(read.dataDir('grown'), read.dataDir('rpc'))).toEqual({})
    await read.expectEqualToReplay('grown')
  })

  it('is read after a -reindex that left old undo records behind', async () => {
    await chain.reindexAfterStaleBranch()
    expect(await read.published('files', 'files')).toBe(chain.height + 1)
    await read.published('files and RPC', 'grown')
    expect(await tableDifferences(read.dataDir('grown'), read.dataDir('files'))).toEqual({})
    expect(read.readGeneration('files').notes.join()).toMatch(/\d+ undo records belong to blocks outside the chain/)
    await read.expectEqualToReplay('files')
  })

  const audit = (name: string, ...args: string[]): Promise<Outcome> =>
    coinstrata([
      'audit',
      '--coins',
      '--network',
      'regtest',
      '--data-dir',
      read.dataDir(name),
      ...read.sources['files and RPC'](),
      ...args,
    ])

  it('is proved by coin at the tip, and with the node two blocks ahead', async () => {
    const coinsAt = async () => {
      const info = z.object({ txouts: z.int(), hash_serialized_3: z.string(), height: z.int() })
      const {
        txouts,
        hash_serialized_3: hash,
        height,
      } = await chain.node.rpc('gettxoutsetinfo', ['hash_serialized_3'], info)
      return { proved: `proved by coin: ${txouts.toLocaleString('en-US')} coins of `, hash, height }
    }
    for (const blocks of [0, 2]) {
      await chain.grow(blocks)
      const { proved, hash, height } = await coinsAt()
      expect(height).toBe(read.readGeneration('files').tip.height + blocks)
      const { exitCode, stdout, stderr } = await audit('files')
      expect(exitCode, stderr).toBe(0)
      expect(stdout).toContain(proved)
      expect(stdout).toContain(`ok  hash     ${hash}, as the node said`)
      expect(readdirSync(path.join(read.dataDir('files'), 'state/dump'))).toEqual([])
    }
    const status = await coinstrata(['status', '--json', '--data-dir', read.dataDir('files')])
    expect(JSON.parse(status.stdout)).toMatchObject({ proved_coins: { height: await chain.node.rpc('getblockcount') } })
  })

  /** Changes a table as if it had been published so. */
  async function change(name: string, table: TableName, sql: string): Promise<void> {
    copyFolder(read.dataDir('files'), read.dataDir(name))
    const generation = path.join(currentFolder(read.dataDir(name)), 'generation.json')
    const file = path.join(currentFolder(read.dataDir(name)), `${table}.parquet`)
    await withSession({ temporaryFolder: path.join(read.folder, 'temporary') }, async (connection) => {
      await connection.run(`CREATE TABLE before AS FROM '${file}'`)
      await writeParquet(connection, file, sql)
    })
    const schema = z.looseObject({ tables: z.record(z.string(), z.looseObject({})) })
    const content = readIntactJson(generation, schema)!
    Object.assign(content.tables[table]!, await digestFile(file))
    writeIntactJson(generation, content)
  }

  it.each([
    [
      'a flow of another day of creation',
      'flows',
      `(CASE WHEN date = last AND created_date = oldest THEN oldest - 1 ELSE created_date END AS created_date)`,
      /unspent outputs of DAY are not the same by kind \(kind_flows\) as without kinds \(flows\)/,
      -1,
    ],
    [
      'one satoshi of another day of creation',
      'flows',
      `((spent_sats + CASE WHEN date <> last THEN 0 WHEN created_date = oldest THEN 1 WHEN created_date = newest THEN -1 ELSE 0 END)::BIGINT AS spent_sats)`,
      /unspent outputs of DAY are not the same by kind \(kind_flows\) as without kinds \(flows\)/,
      0,
    ],
    [
      'coins that were mined of another type',
      'kind_flows',
      `(CASE WHEN date = last AND created_date = oldest THEN 300 ELSE kind END AS kind)`,
      /unspent outputs of 1 days of creation differ from the coins of the node after block \d+: DAY \(.* ours .*; DAY \(unspendable, mined, from 1 sat\) ours/,
      0,
    ],
  ] as const)('%s is found and named', async (name, table, replaced, message, day) => {
    const extent = `(SELECT max(date) AS last, arg_max(oldest, date) AS oldest, arg_max(newest, date) AS newest
      FROM (SELECT date, min(created_date) AS oldest, max(created_date) AS newest FROM before GROUP BY date
        HAVING min(created_date) < max(created_date)))`
    await change(
      name,
      table,
      `SELECT * EXCLUDE (last, oldest, newest) REPLACE ${replaced} FROM before CROSS JOIN ${extent} ORDER BY date, created_date`,
    )
    const { exitCode, stderr } = await audit(name)
    expect(exitCode).toBe(5)
    const [row] = await rowsOf(
      `SELECT oldest - 1, oldest, newest FROM (WITH before AS (FROM ${publishedTable(read.dataDir('files'), table)}) FROM ${extent})`,
    )
    expect(stderr).toMatch(new RegExp(message.source.replaceAll('DAY', String(row![day + 1]))))
    const health = JSON.parse((await coinstrata(['status', '--json', '--data-dir', read.dataDir(name)])).stdout)
    expect(health.problems).toContainEqual(expect.objectContaining({ code: 'audit_failed', state: 'failed' }))
    expect(health.proved_coins).toBe(null)
  })

  it('any changed bit of a dump is found', async () => {
    const file = path.join(read.folder, 'utxo.dat')
    const written = z.object({ txoutset_hash: z.string() })
    const { txoutset_hash: hash } = await chain.node.rpc('dumptxoutset', [file, 'latest'], written)
    const sound = await audit('files', '--file', file, '--hash', hash)
    expect(sound.exitCode, sound.stderr).toBe(0)
    const bytes = readFileSync(file)
    const random = new Random(39)
    for (let flip = 0; flip < 4; flip++) {
      const bit = random.between(0, 8 * bytes.length - 1)
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      writeFileSync(file, changed)
      const { exitCode } = await audit('files', '--file', file, '--hash', hash)
      expect([2, 4, 5], `bit ${bit}`).toContain(exitCode)
    }
  })

  it('has the addresses and balances that the node lists, at the tip and after earlier days', async () => {
    const args = ['update', '--network', 'regtest', '--data-dir', read.dataDir('addresses'), ...read.sources.RPC()]
    const { exitCode, stderr } = await coinstrata(args, { environment: { ADDRESSES: 'all' } })
    expect(exitCode, stderr).toBe(0)
    const days = await rowsOf(
      `SELECT date, block_height FROM ${publishedTable(read.dataDir('addresses'), 'days')} ORDER BY date`,
    )
    const chosen = [0.25, 0.5, 0.75, 1].map((part) => days[Math.ceil(part * days.length) - 1]!)
    for (const [i, [date, height]] of chosen.entries()) {
      const file = path.join(read.folder, `addresses-${i}.dat`)
      await chain.node.rpc('dumptxoutset', [file, 'rollback', { rollback: Number(height) }])
      const held = [...dumpedBalances(readFileSync(file)).values()]
      const over = (sats: number): number[] => held.filter((balance) => balance >= sats)
      const wanted = Object.entries({
        '0': 1,
        '0_001': 1e5,
        '0_01': 1e6,
        '0_1': 1e7,
        '1': 1e8,
        '10': 1e9,
        '100': 1e10,
      }).flatMap(([name, bound]) => [
        [`over_${name}`, over(bound).length] as const,
        [`supply_over_${name}`, over(bound).reduce((sum, sats) => sum + sats, 0) / 1e8] as const,
      ])
      expect(over(1).length).toBeGreaterThan(5)
      const found = await rowsOf(
        `SELECT measure, value FROM ${publishedTable(read.dataDir('addresses'), 'address_balances')}
         WHERE date = '${date}' AND regexp_matches(measure, '^(supply_)?over_')`,
      )
      const values = new Map(found.map(([measure, value]) => [measure, Number(value)]))
      for (const [measure, value] of wanted) expect(values.get(measure), `${measure} on ${date}`).toBeCloseTo(value, 8)
    }
    const replayed = replay(await read.blocksOfNode())
    const shown = replayedBalances(
      replayed,
      () => undefined,
      () => 0,
    )
    for (const measure of balanceMeasures.exposure.slice(0, 2)) {
      const found = await rowsOf(
        `SELECT value FROM ${publishedTable(read.dataDir('addresses'), 'address_balances')} WHERE measure = '${measure}' ORDER BY date`,
      )
      expect(found).toHaveLength(shown.length)
      const expected = shown.map((measures) => measures!.get(measure)!)
      expect(Math.max(...expected)).toBeGreaterThan(0)
      for (const [i, [value]] of found.entries())
        expect(Number(value), `${measure} on day ${i}`).toBeCloseTo(expected[i]!, 8)
    }
  })

  it('is read from the plain files of a node with -blocksxor=0', async () => {
    const height = 300
    const magic = Buffer.from('fabfb5da', 'hex')
    const records = (await read.blocksOfNode()).slice(0, height + 1).flatMap((block) => {
      const bytes = block.toBuffer()
      const size = Buffer.alloc(4)
      size.writeUInt32LE(bytes.length)
      return [magic, size, bytes]
    })
    const recording = path.join(read.folder, 'chain.dat')
    writeFileSync(recording, Buffer.concat(records))
    const plain = await startNode(bitcoind!, { args: ['-blocksxor=0', `-loadblock=${recording}`] })
    try {
      while ((await plain.rpc('getblockcount')) !== height) await sleep(50)
      const { exitCode, stderr } = await read.update(
        ['--datadir', plain.datadir, '--rpc-url', plain.endpoint.url],
        'plain',
      )
      expect(exitCode, stderr).toBe(0)
    } finally {
      await plain.stop()
    }
    const { sats, outputs } = await chain.supplyAt(height)
    const hash = await chain.hashAt(height)
    expect(read.readGeneration('plain').tip).toMatchObject({ height, hash, supply_sats: sats, utxo_count: outputs })
    // No prices here, which the chain does not depend on.
    for (const [name, order] of [
      ['blocks', 'height'],
      ['flows', 'date'],
    ] as const) {
      const table = publishedTable(read.dataDir('plain'), name)
      const whole = publishedTable(read.dataDir('files'), name)
      const part = `(FROM ${whole} WHERE ${order} <= (SELECT max(${order}) FROM ${table}))`
      const differing = `(FROM ${table} EXCEPT ALL FROM ${part}) UNION ALL (FROM ${part} EXCEPT ALL FROM ${table})`
      const [row] = await rowsOf(`SELECT count(*) = 0, (SELECT count(*) > 0 FROM ${table}) FROM (${differing})`)
      expect(row, name).toEqual(['true', 'true'])
    }
  })

  it('is proved by coin again when a reorganisation removed the block while the node listed its coins', async () => {
    const { node } = chain
    const stale = await chain.hashAt(chain.height)
    let dumps = 0
    const proxy = await serveBefore(node.endpoint, async (body, forward) => {
      const answer = await forward(body)
      if (body.includes('dumptxoutset') && ++dumps === 1) {
        await node.rpc('invalidateblock', [stale])
        await node.rpc('generatetoaddress', [2, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'])
      }
      return answer
    })
    const args = [
      '--network',
      'regtest',
      '--data-dir',
      read.dataDir('files'),
      '--datadir',
      node.datadir,
      '--rpc-url',
      proxy.endpoint.url,
    ]
    const { exitCode, stdout, stderr } = await coinstrata(['audit', '--coins', ...args])
    proxy.close()
    expect(exitCode, stderr).toBe(0)
    expect(dumps).toBe(2)
    expect(stdout).toContain(`after block ${(chain.height + 1).toLocaleString('en-US')} (`)
  })
})
