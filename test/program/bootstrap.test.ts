import { generateKeyPairSync } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type SegmentTable, writeManifest } from '#compute/scan/segment-parts.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { coinstrata, type Outcome, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { currentFolder, publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { RegtestChain } from '#test/support/regtest.ts'
import { trials } from '#test/support/trials.ts'

const bitcoind = findBitcoind()
const killer = path.join(import.meta.dirname, '../support/kill-at.ts')

describe.skipIf(!bitcoind)('a pruned node with the history of another operator', () => {
  const folder = temporaryFolder('bootstrap')
  const at = (name: string): string => path.join(folder, name)
  const [scanned, store] = [at('scanned'), at('store')]
  let chain: RegtestChain
  let pruned: TestNode
  let firstStored: number

  const nodeArgs = (node: TestNode): string[] => [
    '--network',
    'regtest',
    '--datadir',
    node.datadir,
    '--rpc-url',
    node.endpoint.url,
  ]
  const run = (command: string, dataDir: string, node: TestNode, ...args: readonly string[]): Promise<Outcome> =>
    coinstrata([command, ...args, '--data-dir', dataDir, ...nodeArgs(node)])
  const publish = (dataDir: string, ...args: readonly string[]): Promise<Outcome> =>
    coinstrata(['publish', '--history', '--to', `file://${store}`, '--data-dir', dataDir, ...args], {
      environment: { PUBLISH_KEY_FILE: at('private.pem') },
    })
  const bootstrap = (dataDir: string, ...args: readonly string[]): Promise<Outcome> =>
    run('bootstrap', dataDir, pruned, store, ...args)

  async function expectRefusal(outcome: Promise<Outcome>, code: string, message: RegExp, dataDir: string) {
    const { exitCode, stderr } = await outcome
    expect(stderr).toContain(`[${code}]`)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\nWhat to do: \w+/)
    expect(exitCode).toBeGreaterThan(1)
    expect(existsSync(currentFolder(dataDir))).toBe(false)
  }

  /** Gives the pruned node the blocks that it lacks. */
  async function catchUp(): Promise<void> {
    const height = await pruned.rpc('getblockcount', [], z.int())
    for (let next = height + 1; next <= chain.height; next++) {
      const block = await chain.node.rpc('getblock', [await chain.hashAt(next), 0], z.string())
      expect(await pruned.rpc('submitblock', [block])).toBeNull()
    }
  }

  beforeAll(async () => {
    for (const name of ['', 'other-']) {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      writeFileSync(at(`${name}private.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }))
      writeFileSync(at(`${name}public.pem`), publicKey.export({ type: 'spki', format: 'pem' }))
    }
    chain = await RegtestChain.start(bitcoind!)
    await chain.growUntilMature()
    await chain.grow(700)
    pruned = await startNode(bitcoind!, { args: ['-fastprune', '-prune=1', '-acceptnonstdtxn=1'] })
    await catchUp()
    await pruned.rpc('pruneblockchain', [400])
    firstStored = (await pruned.rpc('getblockchaininfo', [], z.object({ pruneheight: z.int() }))).pruneheight
    expect(firstStored).toBeGreaterThan(200)
    const { exitCode, stderr } = await run('update', scanned, chain.node)
    expect(exitCode, stderr).toBe(0)
    const published = await publish(scanned)
    expect(published.exitCode, published.stderr).toBe(0)
    expect(published.stdout).toContain(`the history up to block ${chain.height} is there too`)
  })
  afterAll(async () => {
    await chain?.stop()
    await pruned?.stop()
    rmSync(folder, { recursive: true })
  })

  it('publishes with one command what the other published, and goes on with its own blocks', async () => {
    const dataDir = at('bootstrapped')
    const { exitCode, stderr, stdout } = await bootstrap(dataDir, '--trust', at('public.pem'))
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('equal to gettxoutsetinfo of the node')
    expect(await tableDifferences(dataDir, scanned)).toEqual({})

    await chain.grow(300)
    await catchUp()
    for (const [folder, node] of [
      [scanned, chain.node],
      [dataDir, pruned],
    ] as const) {
      const { exitCode, stderr } = await run('update', folder, node)
      expect(exitCode, stderr).toBe(0)
    }
    expect(await tableDifferences(dataDir, scanned)).toEqual({})
    const compared = await coinstrata(['compare', scanned, '--data-dir', dataDir])
    expect(compared.exitCode, compared.stderr).toBe(0)
    for (const kind of ['blocks', 'flows', 'days']) {
      const [, equal, all] =
        new RegExp(`^${kind}: +([\\d,]+) of ([\\d,]+) days equal$`, 'm').exec(compared.stdout) ?? []
      expect(equal, compared.stdout).toBe(all)
      expect(equal).toBeDefined()
    }
    const audited = await run('audit', dataDir, pruned, '--verify')
    expect(audited.exitCode, audited.stdout + audited.stderr).toBe(0)
    // What is done already is not done again.
    expect((await bootstrap(dataDir)).stdout).not.toContain('of the history')
    // Blocks that the node has pruned cannot be scanned for labelled addresses.
    mkdirSync(path.join(dataDir, 'labels'))
    writeFileSync(
      path.join(dataDir, 'labels', 'own.csv'),
      'address,name\nbcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080,Own\n',
    )
    const labelled = await run('update', dataDir, pruned)
    expect(labelled.exitCode, labelled.stderr).toBe(0)
    const status = await coinstrata(['status', '--data-dir', dataDir])
    expect(status.stdout).toMatch(/Labelled addresses are not counted: .* unless the node has pruned them/)
    rmSync(path.join(dataDir, 'labels'), { recursive: true })
    expect((await run('update', dataDir, pruned)).exitCode).toBe(0)
    // Segments of another format are of no use; those of this one take their place.
    const file = path.join(dataDir, 'raw', 'history.json')
    const history = readIntactJson(file, z.looseObject({ format: z.int() }))!
    writeIntactJson(file, { ...history, format: history.format - 1 })
    const outdated = await run('update', dataDir, pruned)
    expect(outdated.stderr).toMatch(/the node is pruned: .*; block 0, which is not scanned yet, is needed \[pruned\]/)
    const renewed = await bootstrap(dataDir)
    expect(renewed.exitCode, renewed.stderr).toBe(0)
    expect(await tableDifferences(dataDir, scanned)).toEqual({})
    expect((await bootstrap(dataDir)).stdout).not.toContain('of the history')
    expect((await run('bootstrap', scanned, chain.node, store)).stderr).toMatch(/has blocks that this machine scanned/)
    // Only what is new is copied.
    const [before] = [readdirSync(path.join(store, 'h')).length]
    expect((await publish(scanned)).exitCode).toBe(0)
    expect(readdirSync(path.join(store, 'h')).length - before).toBeLessThan(before / 2)
  })

  describe('is refused', () => {
    it('unless the one who is trusted has signed it', async () => {
      const dataDir = at('not-trusted')
      const outcome = bootstrap(dataDir, '--trust', at('other-public.pem'))
      await expectRefusal(outcome, 'store_damaged', /history\.json .* is not signed with the expected key/, dataDir)
    })

    it('where a byte of it changed', async () => {
      const largest = readdirSync(path.join(store, 'h'))
        .map((name) => path.join(store, 'h', name))
        .sort((one, other) => statSync(other).size - statSync(one).size)[0]!
      onTestFinished(flipBit(largest))
      const dataDir = at('changed')
      const message = /h\/\w{64} in the store .* is not what was published/
      await expectRefusal(bootstrap(dataDir), 'store_damaged', message, dataDir)
    })

    it('where its files would lie outside their folder', async () => {
      const file = path.join(store, 'history.json')
      const content = readFileSync(file, 'utf8')
      onTestFinished(() => writeFileSync(file, content))
      writeFileSync(file, content.replace(/"name\\":\\"segments\/[^\\]+/, '"name\\":\\"segments/../../evil.parquet'))
      expect(readFileSync(file, 'utf8')).not.toBe(content)
      const dataDir = at('outside')
      await expectRefusal(bootstrap(dataDir), 'store_damaged', /is not a description of history/, dataDir)
    })

    it('by a node of another chain, or one that lacks its blocks', async () => {
      const other = await startNode(bitcoind!)
      onTestFinished(() => other.stop())
      const dataDir = at('foreign')
      const tooShort = run('bootstrap', dataDir, other, store)
      await expectRefusal(tooShort, 'data_not_ready', /the node has validated 0 blocks/, dataDir)
      await other.rpc('generatetodescriptor', [chain.height, 'raw(51)'])
      const message = /block \d+ of the history is \w+, and that of the node is \w+/
      await expectRefusal(run('bootstrap', dataDir, other, store), 'wrong_chain', message, dataDir)
    })

    it('with settings that need other segments, and where there is none', async () => {
      const dataDir = at('settings')
      const off = coinstrata(['bootstrap', store, '--data-dir', dataDir, ...nodeArgs(pruned)], {
        environment: { ADDRESSES: 'off' },
      })
      await expectRefusal(off, 'invalid_configuration', /scanned with ADDRESSES=sample/, dataDir)
      mkdirSync(at('empty'))
      const empty = run('bootstrap', dataDir, pruned, at('empty'))
      await expectRefusal(empty, 'data_not_ready', /has no history/, dataDir)
    })

    /** Adds rows to a table of a segment, and publishes that under another key. */
    async function forge(segment: number, rows: Partial<Record<SegmentTable, string>>): Promise<string> {
      const forged = at(`forged-${segment}`)
      cpSync(scanned, forged, { recursive: true, verbatimSymlinks: true })
      const chainSchema = z.object({ segments: z.array(z.string()) })
      const { segments } = chainSchema.parse(JSON.parse(readFileSync(path.join(forged, 'raw', 'chain.json'), 'utf8')))
      const key = segments.at(segment)!
      const file = (table: string): string => path.join(forged, 'raw', 'segments', key, `${table}.parquet`)
      const connection = await (await DuckDBInstance.create(':memory:')).connect()
      for (const [table, query] of Object.entries(rows)) {
        const more = query.replaceAll(/\$(\w+)/g, (_, name: string) => `'${file(name)}'`)
        const all = `FROM '${file(table)}' UNION ALL BY NAME ${more}`
        await connection.run(`COPY (${all}) TO '${file(table)}.new' (FORMAT parquet)`)
      }
      for (const table of Object.keys(rows)) renameSync(`${file(table)}.new`, file(table))
      connection.disconnectSync()
      writeManifest(path.dirname(file('flows')), [key])
      const place = at(`forged-store-${segment}`)
      const published = await coinstrata(['publish', '--history', '--to', `file://${place}`, '--data-dir', forged], {
        environment: { PUBLISH_KEY_FILE: at('other-private.pem') },
      })
      expect(published.exitCode, published.stderr).toBe(0)
      return place
    }

    const expectDiscarded = (dataDir: string): void =>
      expect(readdirSync(path.join(dataDir, 'raw'))).not.toContain('history.json')

    it('where one coin is spent that was created on another day, although all totals are right', async () => {
      const tables = { created: publishedTable(scanned, 'created_kinds'), spent: publishedTable(scanned, 'kind_flows') }
      // A spend before what the node has, and an earlier day with as much that is never spent.
      const [[date, created, kind, sats, other] = []] = await rowsOf(
        `SELECT date, created_date, kind, spent_sats, other FROM ${tables.spent}, (
           SELECT created_date AS other, sum(sats) AS sats FROM (
             SELECT date AS created_date, created_sats AS sats FROM ${tables.created}
             UNION ALL SELECT created_date, -spent_sats FROM ${tables.spent})
           GROUP BY ALL)
         WHERE spent_outputs = 1 AND spent_sats < sats AND date > other + 2 AND created_date <> other AND date - created_date > 2
           AND date < (SELECT time::DATE FROM ${publishedTable(scanned, 'blocks')} WHERE height = ${firstStored})
         ORDER BY ALL LIMIT 1`,
      )
      const moved = `(SELECT DATE '${date}' AS date, unnest([DATE '${created}', DATE '${other}']) AS created_date,
        unnest([-1, 1]) AS spent_outputs, spent_outputs * ${sats} AS spent_sats)`
      const place = await forge(1, {
        kind_flows: `SELECT *, ${kind} AS kind FROM ${moved}`,
        flows: `SELECT *, 0 AS sat_seconds_low, 0 AS sat_seconds_high, 0 AS output_seconds FROM ${moved}`,
      })
      const dataDir = at('other-coin')
      const message =
        /is not true, and was removed: unspent outputs of 2 days of creation differ from the coins of the node/
      await expectRefusal(run('bootstrap', dataDir, pruned, place), 'history_refused', message, dataDir)
      expectDiscarded(dataDir)
      // A true one may take its place, whatever is left of another that was begun.
      const [begun] = readdirSync(path.join(scanned, 'raw', 'segments'))
      const left = path.join('raw', 'segments', begun!)
      cpSync(path.join(scanned, left), path.join(dataDir, left), { recursive: true })
      writeIntactJson(path.join(dataDir, left, 'segment.json'), { keys: [begun], files: {} })
      const renewed = await bootstrap(dataDir, '--trust', at('public.pem'))
      expect(renewed.exitCode, renewed.stderr).toBe(0)
    })

    it('where it differs from a block that the node still has, although no coin does', async () => {
      const place = await forge(-2, {
        histograms: `SELECT date, kind, bin, 1 AS count FROM $histograms ORDER BY ALL LIMIT 1`,
      })
      const dataDir = at('other-block')
      const message = /is not true, and was removed: 1 of its segments differ from the blocks that the node still has/
      await expectRefusal(run('bootstrap', dataDir, pruned, place), 'history_refused', message, dataDir)
      expectDiscarded(dataDir)
    })
  })

  it('is taken over whole after runs that were killed', { timeout: trials(600_000, 3_600_000) }, async () => {
    const random = new Random(8_317)
    const args = (dataDir: string): string[] => ['bootstrap', store, '--data-dir', dataDir, ...nodeArgs(pruned)]
    const counted = startCoinstrata(args(at('counted')), {
      environment: { OPERATIONS_FILE: at('operations') },
      nodeArguments: ['--import', killer],
    })
    expect((await counted.outcome).exitCode).toBe(0)
    const operations = Number(readFileSync(at('operations'), 'utf8'))
    expect(operations).toBeGreaterThan(100)
    const dataDir = at('killed')
    for (let i = 0; i < trials(1, 20); i++) {
      rmSync(dataDir, { recursive: true, force: true })
      // Twice, since the second run continues.
      for (let kills = 0; kills < 2; kills++) {
        const environment = { KILL_AT: String(random.between(1, operations)) }
        await startCoinstrata(args(dataDir), { environment, nodeArguments: ['--import', killer] }).outcome
      }
      const { exitCode, stderr } = await bootstrap(dataDir)
      expect(exitCode, stderr).toBe(0)
      expect(await tableDifferences(dataDir, scanned)).toEqual({})
    }
  })
})
