import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Block } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compareMilestones } from '#compute/audit/milestones.ts'
import { networks } from '#ingest/chain/networks.ts'
import { comparedValues, valueVendors } from '#root/docs/agreement/values.ts'
import { withSession } from '#sql/session.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { type Replay, replay } from '#test/support/replay.ts'
import { expectReplayed } from '#test/support/replayed-tables.ts'

const bitcoind = findBitcoind()
const recording = path.join(import.meta.dirname, '../../../shared/data/chain/mainnet-0-4521.dat')

const agreementSchema = z.object({
  columns: z.array(z.object({ column: z.string(), ours: z.string(), days: z.int(), equal: z.int() })),
})

/** The blocks of a file with the framing of `-loadblock`; its last one is cut off. */
function recordedBlocks(): Block[] {
  const bytes = readFileSync(recording)
  const blocks: Block[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) break
    blocks.push(Block.fromBuffer(bytes.subarray(at + 8, end)))
    at = end
  }
  return blocks
}

describe.skipIf(!bitcoind || !existsSync(recording))('the first 4,522 blocks of mainnet on a real node', () => {
  const folder = temporaryFolder('mainnet')
  const dataDir = path.join(folder, 'data')
  let node: TestNode
  let replayed: Replay

  beforeAll(async () => {
    replayed = replay(recordedBlocks())
    node = await startNode(bitcoind!, { network: 'mainnet', args: [`-loadblock=${recording}`] })
    while ((await node.rpc('getblockcount')) !== 4521) await sleep(50)
  })
  afterAll(async () => {
    await node?.stop()
    rmSync(folder, { recursive: true })
  })

  it('are audited against the node and published', async () => {
    const args = ['--datadir', node.datadir, '--rpc-url', node.endpoint.url, '--data-dir', dataDir]
    const { exitCode, stdout, stderr } = await coinstrata(['update', ...args])
    expect(stderr).not.toContain('[')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('block 4,521')
    expect(stdout).toContain('The node is still syncing: its newest block, 4521, is from 2009-02-16.')
    expect(stdout).toContain('equal to gettxoutsetinfo of the node: 226,050 BTC, 4,348 outputs')
    const generation: unknown = JSON.parse(
      readFileSync(path.join(dataDir, 'published/current/generation.json'), 'utf8'),
    )
    expect(generation).toMatchObject({
      tip: { height: 4521, supply_sats: 226_050e8, utxo_count: 4348 },
      audit: { days: 44, blocks: 4522, unclaimed_sats: 0, node: { supply_sats: 226_050e8, utxo_count: 4348 } },
    })
  })

  it('give on every closed day what a replay of all their outputs gives', async () => {
    expect(replayed.tip).toEqual({ sats: 226_050e8, outputs: 4348 })
    expect(replayed.closedDays).toHaveLength(44)
    await expectReplayed(dataDir, replayed, { halvingInterval: 210_000, prices: new Map() })
  })

  it('are held against facts of the chain, worked out from the recorded blocks alone', async () => {
    const blocks = recordedBlocks()
    const facts = [170, 3000, 4521].map((height) => {
      const transactions = blocks.slice(0, height + 1).flatMap((block) => block.transactions ?? [])
      const inputs = transactions.filter((each) => !each.isCoinbase()).flatMap(({ ins }) => ins)
      // The output of the first block cannot be spent.
      const outputs = transactions.flatMap(({ outs }) => outs).length - 1
      return {
        height,
        hash: blocks[height]!.getId(),
        source: 'the recorded blocks',
        unclaimed_sats: 0,
        transactions: transactions.length,
        unspent_outputs: outputs - inputs.length,
        overwritten_sats: 0,
      }
    })
    const compare = (milestones: typeof facts) =>
      withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
        for (const table of ['blocks', 'overwritten']) {
          await connection.run(`CREATE TABLE ${table} AS FROM ${publishedTable(dataDir, table)}`)
        }
        return compareMilestones(connection, networks.mainnet, milestones)
      })
    expect(await compare(facts)).toEqual(facts.map(({ source, ...fact }) => fact))
    const wrong = facts.map((fact) => (fact.height === 3000 ? { ...fact, transactions: fact.transactions + 1 } : fact))
    await expect(compare(wrong)).rejects.toMatchObject({
      code: 'audit_failed',
      message: expect.stringContaining(
        `at block 3000 transactions is ${wrong[1]!.transactions} by the recorded blocks`,
      ),
    })
  })

  it('fill 39 of the 44 days', async () => {
    const [row] = await rowsOf(
      `SELECT count(*) FILTER (blocks_mined > 0), count(*) FILTER (blocks_mined = 0), min(date), max(date)
       FROM ${publishedTable(dataDir, 'days')}`,
    )
    expect(row).toEqual(['39', '5', '2009-01-03', '2009-02-15'])
  })

  it('are of three types, and nearly all mined', async () => {
    const kinds = publishedTable(dataDir, 'kinds')
    const created = await rowsOf(
      `SELECT script_type, mined, sum(created_outputs)::INTEGER, sum(created_sats)::BIGINT
       FROM ${publishedTable(dataDir, 'created_kinds')} JOIN ${kinds} USING (kind) GROUP BY ALL ORDER BY ALL`,
    )
    // Of days that ended: the last, of 76 blocks, is open.
    expect(created).toEqual([
      ['p2pk', 'false', '69', '608253000000'],
      ['p2pk', 'true', '4445', '22225201000000'],
      ['p2pkh', 'false', '18', '726502000000'],
      ['unspendable', 'true', '1', '5000000000'],
    ])
  })

  it('are proved by coin', async () => {
    const args = ['--datadir', node.datadir, '--rpc-url', node.endpoint.url, '--data-dir', dataDir]
    const { exitCode, stdout, stderr } = await coinstrata(['audit', '--coins', ...args])
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(
      'proved by coin: 4,348 coins of 39 days of creation, 226,050 BTC, after block 4,521 (2009-02-16)',
    )
    expect(stdout).toContain(
      'ok  hash     5b4d07d612a7980e50a9386669332e61ce0db8f8a66b094ce819e190980f2b67, as the node said',
    )
  })

  it.each(Object.entries(valueVendors))('agree with %s as docs/agreement.md says', async (name) => {
    const file = path.join(import.meta.dirname, `../references/${name}.csv`)
    const expected = comparedValues.filter((one) => one.file === name)
    const columns = expected.flatMap(({ column, ours }) => ['--column', `${column}=${ours}`])
    const { stdout } = await coinstrata(['agree', '--data-dir', dataDir, '--with', file, '--json', ...columns])
    const found = agreementSchema.parse(JSON.parse(stdout)).columns
    expect(found.toSorted((a, b) => a.column.localeCompare(b.column))).toEqual(
      expected
        .map(({ column, ours, days, equal }) => ({ column, ours, days, equal }))
        .toSorted((a, b) => a.column.localeCompare(b.column)),
    )
  })
})
