import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { compareMilestones, type Milestone, readMilestones } from '#compute/audit/milestones.ts'
import { networks } from '#ingest/chain/networks.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('milestones')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const toHash = (height: number): string => String(height).repeat(64)
const coin = 100_000_000

/**
 * Four blocks of 50 BTC on two days. The first output can never be spent; block 1 has an
 * unspendable one, block 2 spends one, block 3 overwrites the coinbase of block 1 and leaves 2
 * satoshis of its subsidy.
 */
const tables = `
  CREATE TABLE blocks AS SELECT * FROM (VALUES
    (0, '${toHash(0)}', DATE '2011-02-02', 1, 1, 1, 0, ${50 * coin}),
    (1, '${toHash(1)}', DATE '2011-02-02', 1, 2, 1, 0, ${50 * coin}),
    (2, '${toHash(2)}', DATE '2011-02-02', 3, 5, 0, 1, ${50 * coin}),
    (3, '${toHash(3)}', DATE '2011-02-03', 1, 1, 0, 0, ${50 * coin - 2})
  ) AS rows (height, hash, date, transactions, outputs, unspendable_outputs, inputs, issuance_sats);
  CREATE TABLE overwritten AS SELECT DATE '2011-02-03' AS date, ${50 * coin} AS sats, 1 AS outputs`

const compare = (milestones: readonly Milestone[]) =>
  withSession({ temporaryFolder: folder }, async (connection) => {
    await connection.run(tables)
    return compareMilestones(connection, networks.regtest, milestones)
  })

/** 1 + 1 + 3 + 1 transactions; of 9 outputs 2 are unspendable, 1 spent and 1 overwritten. */
const right = {
  height: 3,
  hash: toHash(3),
  transactions: 6,
  unspent_outputs: 5,
  unclaimed_sats: 2,
  overwritten_sats: 50 * coin,
}
const source = 'https://example.org/facts'

describe('milestones', () => {
  it('are returned where the tables say the same', async () => {
    const before = { height: 2, hash: toHash(2), transactions: 5, unspent_outputs: 5, unclaimed_sats: 0 }
    const none = { height: 1, hash: toHash(1), overwritten_sats: 0 }
    const facts = [none, before, right].map((fact) => ({ ...fact, source }))
    expect(await compare(facts)).toEqual([none, before, right])
  })

  it.each([
    ['transactions', 7],
    ['unspent_outputs', 6],
    ['unclaimed_sats', 1],
    ['overwritten_sats', 0],
  ])('fail the audit where %s differ', async (name, known) => {
    await expect(compare([{ ...right, [name]: known, source }])).rejects.toMatchObject({
      code: 'audit_failed',
      message: expect.stringContaining(`at block 3 ${name} is ${known} by ${source}, and `),
    })
  })

  it('are passed over where the chain has another block, or none yet', async () => {
    expect(await compare([{ ...right, hash: toHash(9), transactions: 1, source }])).toEqual([])
    expect(await compare([{ ...right, height: 4, transactions: 1, source }])).toEqual([])
  })

  it('of mainnet rise in height, and their transactions with them; other networks have none', () => {
    const milestones = readMilestones(networks.mainnet)
    expect(milestones.length).toBeGreaterThan(8)
    expect(milestones.every(({ height }, i) => i === 0 || height > milestones[i - 1]!.height)).toBe(true)
    const counts = milestones.flatMap(({ transactions }) => transactions ?? [])
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(readMilestones(networks.signet)).toEqual([])
  })
})
