import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Block } from 'bitcoinjs-lib'
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
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { currentFolder, publishedBytes, publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { RegtestChain } from '#test/support/regtest.ts'
import { replay } from '#test/support/replay.ts'
import { replayedBalances } from '#test/support/replayed-addresses.ts'
import { expectReplayed } from '#test/support/replayed-tables.ts'

const bitcoind = findBitcoind()

/** Closes in USD by unix day, from some weeks after the first block on, up and down by turns. */
const prices = new Map(
  Array.from({ length: 3000 }, (_, i) => [15_040 + i, Math.round(100 * (50 + i / 10 + 40 * Math.sin(i / 60))) / 100]),
)

/**
 * One node and its chain, read over and over into several data folders; each step goes on where the
 * last one ended.
 */
describe.skipIf(!bitcoind)('a chain of many years that a real node makes', { timeout: 600_000 }, () => {
  const folder = temporaryFolder('regtest')
  const priceFile = path.join(folder, 'prices.csv')
  let chain: RegtestChain

  const dataDir = (name: string): string => path.join(folder, name)
  const sources = {
    'files and RPC': () => ['--datadir', chain.node.datadir, '--rpc-url', chain.node.endpoint.url],
    files: () => ['--blocksdir', chain.node.blocksFolder],
    RPC: () => ['--source', 'rpc', '--datadir', chain.node.datadir, '--rpc-url', chain.node.endpoint.url],
  }

  const update = (source: readonly string[], name: string): Promise<Outcome> =>
    coinstrata(['update', '--network', 'regtest', '--data-dir', dataDir(name), ...source])

  /** Brings a data folder up to date, and returns how many blocks that had to read. */
  async function published(source: keyof typeof sources, name: string): Promise<number> {
    const { exitCode, stderr, stdout } = await update(sources[source](), name)
    expect(exitCode, stderr).toBe(0)
    const tip = await chain.tip()
    expect(readGeneration(name).tip).toMatchObject(tip)
    return Number(/read +([\d,]+) blocks/.exec(stdout)?.[1]?.replace(',', ''))
  }

  const generationSchema = z.object({
    tip: z.object({ height: z.int(), hash: z.string(), supply_sats: z.int(), utxo_count: z.int() }),
    audit: z.object({ node: z.object({ supply_sats: z.int(), utxo_count: z.int() }).nullable() }),
    notes: z.array(z.string()),
  })
  const readGeneration = (name: string) =>
    generationSchema.parse(JSON.parse(readFileSync(path.join(currentFolder(dataDir(name)), 'generation.json'), 'utf8')))

  /** Those of the node that were ever asked for; under its hash a block never changes. */
  const blocks = new Map<string, Block>()

  async function blocksOfNode(): Promise<Block[]> {
    const { client } = chain.node
    const heights = Array.from({ length: chain.height + 1 }, (_, height) => height)
    const hashes = await client.batch(
      heights.map((height) => ({ method: 'getblockhash', params: [height] })),
      z.array(z.string()),
    )
    const unknown = hashes.filter((hash) => !blocks.has(hash))
    const raw = await client.batch(
      unknown.map((hash) => ({ method: 'getblock', params: [hash, 0] })),
      z.array(z.string()),
    )
    for (const [i, hash] of unknown.entries()) blocks.set(hash, Block.fromHex(raw[i]!))
    return hashes.map((hash) => blocks.get(hash)!)
  }

  async function expectEqualToReplay(name: string): Promise<void> {
    const replayed = replay(await blocksOfNode())
    const { tip } = readGeneration(name)
    expect({ sats: tip.supply_sats, outputs: tip.utxo_count }).toEqual(replayed.tip)
    await expectReplayed(dataDir(name), replayed, { halvingInterval: 150, prices })
  }

  beforeAll(async () => {
    const lines = [...prices].map(([day, close]) => {
      return `${new Date(day * 86_400_000).toISOString().slice(0, 10)},${close},${close},${close},${close}`
    })
    writeFileSync(priceFile, ['date,open,high,low,close', ...lines, ''].join('\n'))
    const { exitCode, stderr } = await coinstrata(['import', 'prices', priceFile, '--data-dir', dataDir('grown')])
    expect(exitCode, stderr).toBe(0)
    for (const name of ['files', 'rpc', 'anew']) copyFolder(dataDir('grown'), dataDir(name))
    chain = await RegtestChain.start(bitcoind!)
    await chain.growUntilMature()
    await chain.grow(395)
  })
  afterAll(async () => {
    await chain?.stop()
    rmSync(folder, { recursive: true })
  })

  it('is read in part, and then only what is new', async () => {
    expect(await published('files and RPC', 'grown')).toBe(506)
    await chain.grow(395)
    const read = await published('files and RPC', 'grown')
    expect(read).toBeGreaterThanOrEqual(395)
    expect(read).toBeLessThan(450)
  })

  it('gives the same tables from files with RPC, from files alone and from RPC alone', async () => {
    expect(await published('files', 'files')).toBe(901)
    expect(await published('RPC', 'rpc')).toBe(901)
    expect(await tableDifferences(dataDir('grown'), dataDir('files'))).toEqual({})
    expect(await tableDifferences(dataDir('grown'), dataDir('rpc'))).toEqual({})
    const compared = await coinstrata(['compare', dataDir('rpc'), '--data-dir', dataDir('files')])
    expect([compared.exitCode, compared.stdout]).toEqual([
      0,
      expect.stringMatching(/^flows: +([\d,]+) of \1 days equal$/m),
    ])
    expect(readGeneration('files').audit.node).toBe(null)
    expect(readGeneration('rpc').audit.node).toEqual({
      supply_sats: readGeneration('rpc').tip.supply_sats,
      utxo_count: readGeneration('rpc').tip.utxo_count,
    })
  })

  it('gives the tables of a replay of all its outputs', async () => {
    const [row] = await rowsOf(
      `SELECT sum(transactions) > 3000, sum(taproot_outputs) > 0, sum(segwit_outputs) > 0, sum(op_return_outputs) > 0,
         sum(unspendable_outputs) > sum(op_return_outputs) FROM ${publishedTable(dataDir('grown'), 'blocks')}`,
    )
    expect(row).toEqual(['true', 'true', 'true', 'true', 'true'])
    const typesIn = async (table: 'created_kinds' | 'kind_flows'): Promise<unknown[]> =>
      (
        await rowsOf(
          `SELECT DISTINCT script_type FROM ${publishedTable(dataDir('grown'), table)}
           JOIN ${publishedTable(dataDir('grown'), 'kinds')} USING (kind)`,
        )
      ).flat()
    expect((await typesIn('created_kinds')).sort()).toEqual([...scriptTypes].sort())
    expect((await typesIn('kind_flows')).sort()).toEqual(scriptTypes.filter((type) => !lostTypes.includes(type)).sort())
    await expectEqualToReplay('grown')
  })

  it('has on every day the supply that the node counts', async () => {
    const rows = await rowsOf(
      `SELECT block_height, supply_sats, utxo_count FROM ${publishedTable(dataDir('grown'), 'days')} WHERE blocks_mined > 0`,
    )
    expect(rows.length).toBeGreaterThan(300)
    const answers = await chain.node.client.batch(
      rows.map(([height]) => ({ method: 'gettxoutsetinfo', params: ['none', Number(height)] })),
      z.array(z.object({ total_amount: z.number(), txouts: z.int() })),
    )
    expect(rows.map(([, sats, outputs]) => [sats, outputs])).toEqual(
      answers.map(({ total_amount, txouts }) => [String(Math.round(total_amount * 1e8)), String(txouts)]),
    )
  })

  it('gives after a reorganisation of 8 blocks what a run from genesis gives', async () => {
    const staleTip = await chain.hashAt(chain.height)
    await chain.reorganise(8)
    expect(await published('files and RPC', 'grown')).toBeLessThan(100)
    expect(await published('RPC', 'rpc')).toBeLessThan(145)
    expect(await published('files and RPC', 'anew')).toBe(902)
    for (const name of ['grown', 'rpc']) {
      expect(await tableDifferences(dataDir(name), dataDir('anew')), name).toEqual({})
    }
    const [row] = await rowsOf(
      `SELECT count(*) FROM ${publishedTable(dataDir('grown'), 'blocks')} WHERE hash = '${staleTip}'`,
    )
    expect(row).toEqual(['0'])
    await expectEqualToReplay('grown')
  })

  it('asks the node where two undo records fit a block, and without it names the block and publishes nothing', async () => {
    const height = await chain.mineSiblings()
    await published('files and RPC', 'grown')
    await expectEqualToReplay('grown')

    const before = publishedBytes(dataDir('files'))
    const { exitCode, stderr } = await update(sources.files(), 'files')
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(
      new RegExp(
        `2 undo records in \\S+rev\\d+\\.dat \\(offsets \\d+, \\d+\\) fit block ${height} .*undo_ambiguous.*\n.*RPC`,
      ),
    )
    expect(publishedBytes(dataDir('files'))).toEqual(before)
  })

  it('leaves out a branch with more work that the node was told to hold for invalid', async () => {
    const { height } = await chain.invalidateMoreWork()
    await published('files and RPC', 'grown')
    await published('RPC', 'rpc')
    expect(readGeneration('grown').tip.height).toBe(height)
    expect(await tableDifferences(dataDir('grown'), dataDir('rpc'))).toEqual({})
    await expectEqualToReplay('grown')
  })

  it('is read after a -reindex that left old undo records behind', async () => {
    await chain.reindexAfterStaleBranch()
    rmSync(path.join(dataDir('anew'), 'raw/segments'), { recursive: true })
    expect(await published('files and RPC', 'anew')).toBe(chain.height + 1)
    await published('files', 'files')
    await published('files and RPC', 'grown')
    for (const name of ['grown', 'files']) {
      expect(await tableDifferences(dataDir(name), dataDir('anew')), name).toEqual({})
    }
    expect(readGeneration('anew').notes.join()).toMatch(/\d+ undo records belong to blocks outside the chain/)
    await expectEqualToReplay('anew')
  })

  const audit = (name: string, ...args: string[]): Promise<Outcome> =>
    coinstrata([
      'audit',
      '--coins',
      '--network',
      'regtest',
      '--data-dir',
      dataDir(name),
      ...sources['files and RPC'](),
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
      expect(height).toBe(readGeneration('anew').tip.height + blocks)
      const { exitCode, stdout, stderr } = await audit('anew')
      expect(exitCode, stderr).toBe(0)
      expect(stdout).toContain(proved)
      expect(stdout).toContain(`ok  hash     ${hash}, as the node said`)
      expect(readdirSync(path.join(dataDir('anew'), 'state/dump'))).toEqual([])
    }
    const status = await coinstrata(['status', '--json', '--data-dir', dataDir('anew')])
    expect(JSON.parse(status.stdout)).toMatchObject({ proved_coins: { height: await chain.node.rpc('getblockcount') } })
  })

  /** Changes a table as if it had been published so. */
  async function change(name: string, table: TableName, sql: string): Promise<void> {
    copyFolder(dataDir('anew'), dataDir(name))
    const generation = path.join(currentFolder(dataDir(name)), 'generation.json')
    const file = path.join(currentFolder(dataDir(name)), `${table}.parquet`)
    await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
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
      `SELECT oldest - 1, oldest, newest FROM (WITH before AS (FROM ${publishedTable(dataDir('anew'), table)}) FROM ${extent})`,
    )
    expect(stderr).toMatch(new RegExp(message.source.replaceAll('DAY', String(row![day + 1]))))
    const health = JSON.parse((await coinstrata(['status', '--json', '--data-dir', dataDir(name)])).stdout)
    expect(health.problems).toContainEqual(expect.objectContaining({ code: 'audit_failed', state: 'failed' }))
    expect(health.proved_coins).toBe(null)
  })

  it('any changed bit of a dump is found', async () => {
    const file = path.join(folder, 'utxo.dat')
    const written = z.object({ txoutset_hash: z.string() })
    const { txoutset_hash: hash } = await chain.node.rpc('dumptxoutset', [file, 'latest'], written)
    const sound = await audit('anew', '--file', file, '--hash', hash)
    expect(sound.exitCode, sound.stderr).toBe(0)
    const bytes = readFileSync(file)
    const random = new Random(39)
    for (let flip = 0; flip < 12; flip++) {
      const bit = random.between(0, 8 * bytes.length - 1)
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      writeFileSync(file, changed)
      const { exitCode } = await audit('anew', '--file', file, '--hash', hash)
      expect([2, 4, 5], `bit ${bit}`).toContain(exitCode)
    }
  })

  it('has the addresses and balances that the node lists, at the tip and after earlier days', async () => {
    const args = ['update', '--network', 'regtest', '--data-dir', dataDir('addresses'), ...sources.RPC()]
    const { exitCode, stderr } = await coinstrata(args, { environment: { ADDRESSES: 'all' } })
    expect(exitCode, stderr).toBe(0)
    const days = await rowsOf(
      `SELECT date, block_height FROM ${publishedTable(dataDir('addresses'), 'days')} ORDER BY date`,
    )
    const chosen = [0.25, 0.5, 0.75, 1].map((part) => days[Math.ceil(part * days.length) - 1]!)
    for (const [i, [date, height]] of chosen.entries()) {
      const file = path.join(folder, `addresses-${i}.dat`)
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
        `SELECT measure, value FROM ${publishedTable(dataDir('addresses'), 'address_balances')}
         WHERE date = '${date}' AND regexp_matches(measure, '^(supply_)?over_')`,
      )
      const values = new Map(found.map(([measure, value]) => [measure, Number(value)]))
      for (const [measure, value] of wanted) expect(values.get(measure), `${measure} on ${date}`).toBeCloseTo(value, 8)
    }
    const replayed = replay(await blocksOfNode())
    const shown = replayedBalances(
      replayed,
      () => undefined,
      () => 0,
    )
    for (const measure of balanceMeasures.exposure.slice(0, 2)) {
      const found = await rowsOf(
        `SELECT value FROM ${publishedTable(dataDir('addresses'), 'address_balances')} WHERE measure = '${measure}' ORDER BY date`,
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
    const records = (await blocksOfNode()).slice(0, height + 1).flatMap((block) => {
      const bytes = block.toBuffer()
      const size = Buffer.alloc(4)
      size.writeUInt32LE(bytes.length)
      return [magic, size, bytes]
    })
    const recording = path.join(folder, 'chain.dat')
    writeFileSync(recording, Buffer.concat(records))
    const plain = await startNode(bitcoind!, { args: ['-blocksxor=0', `-loadblock=${recording}`] })
    try {
      while ((await plain.rpc('getblockcount')) !== height) await sleep(50)
      const { exitCode, stderr } = await update(['--datadir', plain.datadir, '--rpc-url', plain.endpoint.url], 'plain')
      expect(exitCode, stderr).toBe(0)
    } finally {
      await plain.stop()
    }
    const { sats, outputs } = await chain.supplyAt(height)
    const hash = await chain.hashAt(height)
    expect(readGeneration('plain').tip).toMatchObject({ height, hash, supply_sats: sats, utxo_count: outputs })
    // No prices here, which the chain does not depend on.
    for (const [name, order] of [
      ['blocks', 'height'],
      ['flows', 'date'],
    ] as const) {
      const table = publishedTable(dataDir('plain'), name)
      const whole = publishedTable(dataDir('anew'), name)
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
      dataDir('anew'),
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
