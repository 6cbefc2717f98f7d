import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type SegmentTable, writeManifest } from '#compute/scan/segment-parts.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { findBitcoind, startNode } from '#test/support/bitcoind.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { coinstrata, startCoinstrata } from '#test/support/program.ts'
import { publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { trials } from '#test/support/trials.ts'
import { PrunedScene } from './support/pruned-node.ts'

const bitcoind = findBitcoind()
const killer = path.join(import.meta.dirname, '../support/kill-at.ts')

describe.skipIf(!bitcoind)('a pruned node with the history of another operator', () => {
  let scene: PrunedScene
  /** File operations of a whole run. */
  let operations = 0
  beforeAll(async () => {
    scene = await PrunedScene.start(bitcoind!)
  })
  afterAll(() => scene?.stop())

  it('takes it over once more in another format, and counts no labelled addresses of pruned blocks', async () => {
    const { scanned, pruned } = scene
    const dataDir = scene.at('bootstrapped')
    const counted = startCoinstrata(scene.bootstrapArgs(dataDir), {
      environment: { OPERATIONS_FILE: scene.at('operations') },
      nodeArguments: ['--import', killer],
    })
    const { exitCode, stderr } = await counted.outcome
    expect(exitCode, stderr).toBe(0)
    operations = Number(readFileSync(scene.at('operations'), 'utf8'))
    expect(operations).toBeGreaterThan(100)
    // Blocks that the node has pruned cannot be scanned for labelled addresses.
    mkdirSync(path.join(dataDir, 'labels'))
    writeFileSync(
      path.join(dataDir, 'labels', 'own.csv'),
      'address,name\nbcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080,Own\n',
    )
    const labelled = await scene.run('update', dataDir, pruned)
    expect(labelled.exitCode, labelled.stderr).toBe(0)
    const status = await coinstrata(['status', '--data-dir', dataDir])
    expect(status.stdout).toMatch(/1 labelled addresses are not counted: .* unless the node has pruned them/)
    rmSync(path.join(dataDir, 'labels'), { recursive: true })
    // Segments of another format are of no use; those of this one take their place.
    const file = path.join(dataDir, 'raw', 'history.json')
    const history = readIntactJson(file, z.looseObject({ format: z.int() }))!
    writeIntactJson(file, { ...history, format: history.format - 1 })
    const outdated = await scene.run('update', dataDir, pruned)
    expect(outdated.stderr).toMatch(/the node is pruned: .*; block 0, which is not scanned yet, is needed \[pruned\]/)
    const renewed = await scene.bootstrap(dataDir)
    expect(renewed.exitCode, renewed.stderr).toBe(0)
    expect(await tableDifferences(dataDir, scanned)).toEqual({})
    expect((await scene.bootstrap(dataDir)).stdout).not.toContain('of the history')
  })

  describe('is refused', () => {
    it('where a byte of it changed', async () => {
      const largest = readdirSync(path.join(scene.store, 'h'))
        .map((name) => path.join(scene.store, 'h', name))
        .sort((one, other) => statSync(other).size - statSync(one).size)[0]!
      onTestFinished(flipBit(largest))
      const dataDir = scene.at('changed')
      const message = /h\/\w{64} in the store .* is not what was published/
      await scene.expectRefusal(scene.bootstrap(dataDir), 'store_damaged', message, dataDir)
    })

    it('where its files would lie outside their folder', async () => {
      const file = path.join(scene.store, 'history.json')
      const content = readFileSync(file, 'utf8')
      onTestFinished(() => writeFileSync(file, content))
      writeFileSync(file, content.replace(/"name\\":\\"segments\/[^\\]+/, '"name\\":\\"segments/../../evil.parquet'))
      expect(readFileSync(file, 'utf8')).not.toBe(content)
      const dataDir = scene.at('outside')
      const message = /is not a description of history/
      await scene.expectRefusal(scene.bootstrap(dataDir), 'store_damaged', message, dataDir)
    })

    it('by a node of another chain, or one that lacks its blocks', async () => {
      const other = await startNode(bitcoind!)
      onTestFinished(() => other.stop())
      const dataDir = scene.at('foreign')
      const bootstrap = () => scene.run('bootstrap', dataDir, other, scene.store)
      await scene.expectRefusal(bootstrap(), 'data_not_ready', /the node has validated 0 blocks/, dataDir)
      await other.rpc('generatetodescriptor', [scene.chain.height, 'raw(51)'])
      const message = /block \d+ of the history is \w+, and that of the node is \w+/
      await scene.expectRefusal(bootstrap(), 'wrong_chain', message, dataDir)
    })

    it('with settings that need other segments, and where there is none', async () => {
      const dataDir = scene.at('settings')
      const off = coinstrata(scene.bootstrapArgs(dataDir), { environment: { ADDRESSES: 'off' } })
      await scene.expectRefusal(off, 'invalid_configuration', /scanned with ADDRESSES=sample/, dataDir)
      mkdirSync(scene.at('empty'))
      const empty = scene.run('bootstrap', dataDir, scene.pruned, scene.at('empty'))
      await scene.expectRefusal(empty, 'data_not_ready', /has no history/, dataDir)
    })

    /** Adds rows to a table of a segment, and publishes that under another key. */
    async function forge(segment: number, rows: Partial<Record<SegmentTable, string>>): Promise<string> {
      const forged = scene.at(`forged-${segment}`)
      cpSync(scene.scanned, forged, { recursive: true, verbatimSymlinks: true })
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
      const place = scene.at(`forged-store-${segment}`)
      const published = await scene.publish(forged, place, 'other-private.pem')
      expect(published.exitCode, published.stderr).toBe(0)
      return place
    }

    const expectDiscarded = (dataDir: string): void =>
      expect(readdirSync(path.join(dataDir, 'raw'))).not.toContain('history.json')

    it('where one coin is spent that was created on another day, although all totals are right', async () => {
      const { scanned, pruned, firstStored } = scene
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
      const place = await forge(0, {
        kind_flows: `SELECT *, ${kind} AS kind FROM ${moved}`,
        flows: `SELECT *, 0 AS sat_seconds_low, 0 AS sat_seconds_high, 0 AS output_seconds FROM ${moved}`,
      })
      const dataDir = scene.at('other-coin')
      const message =
        /is not true, and was removed: unspent outputs of 2 days of creation differ from the coins of the node/
      await scene.expectRefusal(scene.run('bootstrap', dataDir, pruned, place), 'history_refused', message, dataDir)
      expectDiscarded(dataDir)
    })

    it('where it differs from a block that the node still has, although no coin does', async () => {
      const place = await forge(-2, {
        histograms: `SELECT date, kind, bin, 1 AS count FROM $histograms ORDER BY ALL LIMIT 1`,
      })
      const dataDir = scene.at('other-block')
      const message = /is not true, and was removed: 1 of its segments differ from the blocks that the node still has/
      const outcome = scene.run('bootstrap', dataDir, scene.pruned, place)
      await scene.expectRefusal(outcome, 'history_refused', message, dataDir)
      expectDiscarded(dataDir)
    })
  })

  it('is taken over whole after a forged one and runs that were killed', {
    timeout: trials(600_000, 3_600_000),
  }, async () => {
    const random = new Random(8_317)
    const [begun] = readdirSync(path.join(scene.scanned, 'raw', 'segments'))
    const left = path.join('raw', 'segments', begun!)
    for (let i = 0; i < trials(1, 20); i++) {
      // The first takes the place of the forged one, whatever is left of another that was begun.
      const dataDir = scene.at(i === 0 ? 'other-coin' : `killed-${i}`)
      if (i === 0) {
        cpSync(path.join(scene.scanned, left), path.join(dataDir, left), { recursive: true })
        writeIntactJson(path.join(dataDir, left, 'segment.json'), { keys: [begun], files: {} })
      }
      // Twice, since the second run continues.
      for (let kills = 0; kills < 2; kills++) {
        const environment = { KILL_AT: String(random.between(1, operations)) }
        await startCoinstrata(scene.bootstrapArgs(dataDir), { environment, nodeArguments: ['--import', killer] })
          .outcome
      }
      const { exitCode, stderr } = await scene.bootstrap(dataDir, '--trust', scene.at('public.pem'))
      expect(exitCode, stderr).toBe(0)
      expect(await tableDifferences(dataDir, scene.scanned)).toEqual({})
    }
  })

  it('is gone on with by own blocks, and only what is new is copied', async () => {
    const { scanned, chain, pruned } = scene
    const dataDir = scene.at('bootstrapped')
    await scene.grow(60)
    for (const [folder, node] of [
      [scanned, chain.node],
      [dataDir, pruned],
    ] as const) {
      const { exitCode, stderr } = await scene.run('update', folder, node)
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
    const audited = await scene.run('audit', dataDir, pruned, '--verify')
    expect(audited.exitCode, audited.stdout + audited.stderr).toBe(0)
    expect((await scene.bootstrap(dataDir)).stdout).not.toContain('of the history')
    const own = scene.run('bootstrap', scanned, chain.node, scene.store)
    expect((await own).stderr).toMatch(/has blocks that this machine scanned/)
    // Only what is new is copied.
    const before = readdirSync(path.join(scene.store, 'h')).length
    expect((await scene.publish(scanned)).exitCode).toBe(0)
    expect(readdirSync(path.join(scene.store, 'h')).length - before).toBeLessThan(before / 2)
  })
})
