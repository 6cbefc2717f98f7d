import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Block } from 'bitcoinjs-lib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { formatBytes } from '#base/quantities.ts'
import { auditTables, compareWithNode } from '#compute/audit/audit.ts'
import { auditPublished } from '#compute/audit/audit-published.ts'
import { findOverwritten } from '#compute/audit/overwritten.ts'
import { verifyChain } from '#compute/audit/verify-chain.ts'
import { claimDataFolder } from '#compute/data-folder.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { simulatedSource } from '#compute/scan/simulated-node.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { displayHash, doubleSha256 } from '#ingest/chain/bytes.ts'
import { networks } from '#ingest/chain/networks.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import { describeFinding } from '#root/cli/audit-report.ts'
import { currentGeneration, type Generation } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { withSession } from '#sql/session.ts'
import { withProvedSegments } from '#state/proved-segments.ts'
import { CoreFile } from '#test/support/core-file.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

const folder = temporaryFolder('audit')
const whole = path.join(folder, 'whole')
const dataDir = path.join(folder, 'data')
const network = networks.simulated
const progress = { say: () => {}, scanned: () => {} }
let generation: Generation

beforeAll(async () => {
  mkdirSync(path.join(whole, 'raw'), { recursive: true })
  claimDataFolder(whole, 'simulated')
  const chainFolder = path.join(whole, 'raw', 'simulated')
  await makeSimulatedChain({ folder: chainFolder, seed: 3, endDay: parseDay('2009-08-08'), size: 'tiny' })
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    const { scanned } = await ingest({
      dataDir: whole,
      network,
      progress,
      source: simulatedSource(whole),
    })
    generation = await buildGeneration(connection, whole, scanned, { pricing: 'hourly' })
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const audit = (...args: readonly string[]): Promise<Outcome> =>
  coinstrata(['audit', '--data-dir', dataDir, '--log-level', 'silent', ...args])

/** The findings of an audit within this process. */
async function findings(verify = false, changed: Partial<UpdateSettings> = {}): Promise<string[]> {
  const settings: UpdateSettings = {
    dataDir,
    network: 'mainnet',
    source: 'auto',
    simulatedSeed: 1,
    pricing: 'hourly',
    memory: '1GB',
    datadir: undefined,
    blocksdir: undefined,
    rpcUrl: undefined,
    rpcUser: undefined,
    rpcPassword: undefined,
    defaultDatadir: path.join(folder, 'nowhere'),
    ...changed,
  }
  return withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    const found: string[] = []
    for await (const finding of auditPublished(connection, settings, verify, progress)) found.push(finding.of)
    return found
  })
}

const failure = (code: string, message: string | RegExp) =>
  expect.objectContaining({
    code,
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  })

const publishedFile = (name: string): string => path.join(currentGeneration(dataDir)?.folder ?? '', name)

/** A block of the chain that is in one block file only and not stale. */
async function chainBlock(file: CoreFile) {
  const rows = await rowsOf(`SELECT hash, height FROM ${publishedTable(whole, 'blocks')}`)
  const heights = new Map(rows.map(([hash, height]) => [hash, Number(height)]))
  for (const { at, offset, size } of file.records.slice(5)) {
    const height = heights.get(displayHash(doubleSha256(file.bytes.subarray(offset, offset + 80))))
    if (height !== undefined) return { at, offset, size, height }
  }
  throw new Error(`no block of the chain in ${file.file}`)
}

describe('coinstrata audit', () => {
  beforeEach(() => {
    rmSync(dataDir, { recursive: true, force: true })
    cpSync(whole, dataDir, { recursive: true, verbatimSymlinks: true })
  })

  it('says what it compared, and verifies every block of the chain where it is asked to', async () => {
    const { exitCode, stdout, stderr } = await audit('--verify')
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    const { tables, tip, audit: audited } = generation
    const blocks = (tip.height + 1).toLocaleString('en-US')
    expect(stdout).toContain(`ok  tables   ${Object.keys(tables).length} tables of generation ${generation.id}`)
    const bytes = Object.values(tables).reduce((sum, table) => sum + table.bytes, 0)
    expect(stdout).toContain(`rows and SHA-256 of ${formatBytes(bytes)} as published`)
    expect(stdout).toContain(`ok  amounts  ${audited.days} days`)
    expect(stdout).toContain(`${blocks} blocks within the subsidy schedule`)
    expect(stdout).toContain('-   node     not compared: the chain is simulated')
    expect(stdout).toMatch(new RegExp(`ok {2}chain {4}${blocks} blocks verified, .*; \\d.* in .*/s`))
    expect(await findings()).toEqual(['tables', 'amounts', 'node'])
  })

  it('warns of prices that are far from those of the chain', () => {
    const prices = {
      source: 'kraken',
      first_date: '2009-01-09',
      last_date: '2009-08-08',
      carried_days: 0,
      disagreeing_days: 0,
      worst_disagreement: null,
      unpriced: null,
      pricing: { setting: 'daily', hourly: null },
      onchain_gap: -0.0712,
    } as const
    const text = describeFinding({ of: 'tables', generation: { ...generation, prices }, bytes: 1 })
    expect(text.split('\n')[1]).toBe('-   prices   the price from the chain is 7.1 % below that of markets')
  })

  it('ends with an exit code and the cure where a table has a changed byte', async () => {
    const file = publishedFile('flows.parquet')
    const bytes = readFileSync(file)
    bytes[1000] = (bytes[1000] ?? 0) ^ 1
    writeFileSync(file, bytes)
    const { exitCode, stdout, stderr } = await audit()
    expect(exitCode).toBe(5)
    expect(stdout).toBe('')
    expect(stderr).toContain(`${file} is not the file that was published (SHA-256 `)
    expect(stderr).toContain('What to do: run "coinstrata compute"')
    const problems = async () => {
      const { stdout: status } = await coinstrata(['status', '--json', '--data-dir', dataDir])
      return JSON.parse(status).problems
    }
    const found = expect.stringContaining('; the audit failed: flows.parquet is not the file that was published')
    expect(await problems()).toContainEqual(expect.objectContaining({ code: 'audit_failed', message: found }))
    bytes[1000] = (bytes[1000] ?? 0) ^ 1
    writeFileSync(file, bytes)
    expect((await audit()).exitCode).toBe(0)
    expect(await problems()).not.toContainEqual(expect.objectContaining({ code: 'audit_failed' }))
  })

  it('names a table that is missing', async () => {
    const file = publishedFile('days.parquet')
    rmSync(file)
    await expect(findings()).rejects.toThrow(failure('audit_failed', `${file} is missing`))
  })

  it('finds a description whose supply is not that of the tables', async () => {
    const file = publishedFile('generation.json')
    const { supply_sats: supply, utxo_count: outputs } = generation.tip
    writeIntactJson(file, { ...generation, tip: { ...generation.tip, supply_sats: supply + 1 } })
    const message = `flows add up to ${supply + 1} satoshis in ${outputs} unspent outputs, blocks to ${supply} in ${outputs}`
    await expect(findings()).rejects.toThrow(failure('audit_failed', message))
  })

  it('finds amounts that were read from a damaged file, also when the file is intact again', async () => {
    const blocks = path.join(dataDir, 'raw', 'simulated', 'blocks')
    const file = new CoreFile(blocks, 'blk00000.dat')
    const { offset, size, height } = await chainBlock(file)
    const [coinbase] = Block.fromBuffer(file.bytes.subarray(offset, offset + size)).transactions ?? []
    const { script, value } = coinbase!.outs[0]!
    const amount = Buffer.alloc(8)
    amount.writeBigUInt64LE(value)
    const at = Buffer.from(file.bytes).indexOf(Buffer.concat([amount, Buffer.from([script.length]), script]), offset)
    // A bit that is set, so that the coinbase claims less than it may.
    const byte = amount.findIndex((one) => (one & 0x10) !== 0)
    const damage = (): void => {
      file.flipBit(at + byte)
      file.save()
    }
    for (const made of ['published', path.join('raw', 'segments')])
      rmSync(path.join(dataDir, made), { recursive: true })
    damage()
    await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
      const { scanned } = await ingest({
        dataDir,
        network,
        progress,
        source: simulatedSource(dataDir),
        proveBytes: 0,
      })
      await buildGeneration(connection, dataDir, scanned, { pricing: 'hourly' })
    })
    await withProvedSegments(dataDir, (registry) => registry.recordPublished())
    expect(await findings()).toEqual(['tables', 'amounts', 'node'])
    await expect(findings(true)).rejects.toThrow(failure('block_corrupt', `block ${height} (`))
    damage()
    const message = new RegExp(`block ${height} has coinbase_sats (\\d+), and (\\d+) was published`)
    const error = await findings(true).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'audit_failed', cure: expect.stringContaining('coinstrata update') })
    const [, has, was] = message.exec(String(error)) ?? []
    expect(Number(has) - Number(was)).toBe(0x10 * 256 ** byte)
    // A run that fails does not make it forget.
    damage()
    const failing = ingest({ dataDir, network, progress, source: simulatedSource(dataDir), proveBytes: 0 })
    await expect(failing).rejects.toThrow(failure('block_corrupt', `block ${height} (`))
    damage()
    // The next run reads the wrong block again, whatever else it proves.
    const again = await ingest({ dataDir, network, progress, source: simulatedSource(dataDir), proveBytes: 0 })
    expect(again.corrected).toBe(1)
    expect(again.scanned.notes.join()).toContain('1 segments had been scanned from damaged files')
  })

  it.each(['first', 'last'])('refuses to verify blocks of which the %s is not the published one', async (which) => {
    const { tip } = generation
    const height = which === 'first' ? 0 : tip.height
    const hashes = (await rowsOf(`SELECT hash FROM ${publishedTable(whole, 'blocks')} ORDER BY height`)).map(String)
    const other = '0'.repeat(64)
    const published = { hashes: hashes.with(height, other), amounts: new Float64Array(0) }
    const source = simulatedSource(dataDir)
    const verified = withProvedSegments(dataDir, (registry) =>
      verifyChain({
        ...{ source, dataDir, network, tip, published, registry, progress },
        ...{ unprovedOnly: false, addresses: 'off' },
      }),
    )
    const message = `block ${height} is ${hashes[height]} in the chain up to ${tip.hash}, and ${other} in table blocks`
    await expect(verified).rejects.toThrow(failure('audit_failed', message))
  })

  it('names file, offset and height of the first block that is not intact', async () => {
    const blocks = path.join(dataDir, 'raw', 'simulated', 'blocks')
    const broken: string[] = []
    for (const number of [0, 1]) {
      const file = new CoreFile(blocks, `blk0000${number}.dat`)
      const { offset, size, height } = await chainBlock(file)
      // The last byte of a lock time: only the merkle root knows it.
      file.flipBit(offset + size - 1)
      file.save()
      const hash = displayHash(doubleSha256(file.bytes.subarray(offset, offset + 80)))
      const where = `block ${height} (${hash}) in ${file.file} at offset ${offset}`
      broken.push(`${where} has other transactions than its merkle root commits to`)
    }
    await expect(findings(true)).rejects.toThrow(failure('block_corrupt', broken.join('; beside it: ')))
    expect(await findings()).toEqual(['tables', 'amounts', 'node'])
  })

  it('refuses files that no longer hold the chain', async () => {
    const file = new CoreFile(path.join(dataDir, 'raw', 'simulated', 'blocks'), 'blk00001.dat')
    const { offset } = await chainBlock(file)
    file.flipBit(offset + 40)
    file.save()
    const height = generation.tip.height
    await expect(findings(true)).rejects.toThrow(failure('chain_incomplete', `no complete chain to block ${height}`))
  })

  it('has nothing to say where nothing is published', async () => {
    await expect(findings(false, { dataDir: path.join(folder, 'fresh') })).rejects.toThrow(
      failure('data_not_ready', 'nothing is published'),
    )
  })

  it('refuses another network than that of the folder', async () => {
    const owner = path.join(dataDir, 'raw', 'network.json')
    writeFileSync(owner, readFileSync(owner, 'utf8').replace('"simulated"', '"mainnet"'))
    await expect(findings(false, { network: 'signet' })).rejects.toThrow(failure('data_folder_mismatch', 'mainnet'))
  })
})

describe('the audit of tables', () => {
  const tip = () => ({
    height: generation.tip.height,
    supplySats: generation.tip.supply_sats,
    utxoCount: generation.tip.utxo_count,
  })

  /** Holds copies of the tables until `close` is called. */
  let connection: DuckDBConnection
  let close: () => Promise<void>

  beforeAll(async () => {
    const [opened, over] = [Promise.withResolvers<DuckDBConnection>(), Promise.withResolvers<void>()]
    const session = withSession({ temporaryFolder: path.join(folder, 'temporary'), threads: 1 }, async (copies) => {
      for (const table of ['blocks', 'flows', 'days', 'cohorts']) {
        await copies.run(`CREATE TABLE ${table} AS SELECT * FROM ${publishedTable(whole, table)}`)
      }
      const blocks = { name: 'blocks', from: publishedTable(whole, 'blocks') } as const
      await copies.run(`CREATE TABLE overwritten AS FROM ${findOverwritten(network, blocks).from}`)
      opened.resolve(copies)
      await over.promise
    })
    session.catch(opened.reject)
    connection = await opened.promise
    close = () => {
      over.resolve()
      return session
    }
  })
  afterAll(() => close())

  /** Audits the copies after one of them was changed, and takes the change back. */
  async function auditAfter(change: string, at = tip()): Promise<unknown> {
    await connection.run('BEGIN')
    try {
      await connection.run(change)
      return await auditTables(connection, [], network, at)
    } finally {
      await connection.run('ROLLBACK')
    }
  }

  it('finds what the generation says of its own audit', async () => {
    const { node, ...audited } = generation.audit
    expect(node).toBeNull()
    expect(await auditAfter('SELECT 1')).toEqual(audited)
  })

  it.each([
    ['a satoshi too many in days', `UPDATE days SET supply_sats = supply_sats + 1 WHERE date = DATE '2009-06-11'`],
    ['an output too few in days', `UPDATE days SET utxo_count = utxo_count - 1 WHERE date = DATE '2009-06-11'`],
    [
      'a satoshi too many in a band',
      `UPDATE cohorts SET supply_sats = supply_sats + 1 WHERE date = DATE '2009-06-11' AND cohort = '1w_1m'`,
    ],
    [
      'an output too many in a band',
      `UPDATE cohorts SET utxo_count = utxo_count + 1 WHERE date = DATE '2009-06-11' AND cohort = '24h'`,
    ],
    [
      'an output too many in all coins',
      `UPDATE cohorts SET utxo_count = utxo_count + 1 WHERE date = DATE '2009-06-11' AND cohort = 'all'`,
    ],
    ['a day that cohorts lack', `DELETE FROM cohorts WHERE date = DATE '2009-06-11' AND cohort = 'all'`],
    ['an unknown supply', `UPDATE days SET supply_sats = NULL WHERE date = DATE '2009-06-11'`],
    ['a spend that flows lack', `DELETE FROM flows WHERE spent_sats > 0 AND date = DATE '2009-06-11'`],
  ])('names the day of %s', async (_, change) => {
    await expect(auditAfter(change)).rejects.toThrow(
      failure('audit_failed', /supply or UTXO count on 2009-06-11 differ/),
    )
  })

  it('finds missing and doubled blocks', async () => {
    await expect(auditAfter('DELETE FROM blocks WHERE height = 400')).rejects.toThrow(
      failure('audit_failed', /table blocks holds/),
    )
    await expect(auditAfter('UPDATE blocks SET height = 401 WHERE height = 400')).rejects.toThrow(
      failure('audit_failed', /holds/),
    )
  })

  it('finds more than the subsidy schedule allows', async () => {
    const unclaimed = generation.audit.unclaimed_sats
    const change = (sats: number): string =>
      `UPDATE blocks SET issuance_sats = issuance_sats + ${sats} WHERE height = 9`
    await expect(auditAfter(change(unclaimed + 1))).rejects.toThrow(
      failure('audit_failed', /^the audit failed: 1 satoshis were issued beyond/),
    )
    // Less is unclaimed, but then it is missing elsewhere.
    await expect(auditAfter(change(unclaimed))).rejects.toThrow(failure('audit_failed', /at block \d+ flows add up to/))
  })

  it('finds a tip with other sums', async () => {
    const { supplySats, utxoCount } = tip()
    await expect(auditAfter('SELECT 1', { ...tip(), supplySats: supplySats - 1 })).rejects.toThrow(
      failure('audit_failed', /flows/),
    )
    await expect(auditAfter('SELECT 1', { ...tip(), utxoCount: utxoCount + 1 })).rejects.toThrow(
      failure('audit_failed', /flows/),
    )
  })

  it('finds a node that counts otherwise', () => {
    const { supplySats: sats, utxoCount: outputs } = tip()
    compareWithNode(tip(), { sats, outputs })
    expect(() => compareWithNode(tip(), { sats: sats + 1, outputs })).toThrow(
      failure('audit_failed', /the node counts/),
    )
    expect(() => compareWithNode(tip(), { sats, outputs: outputs - 1 })).toThrow(
      failure('audit_failed', /the node counts/),
    )
  })
})
