import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AddressMode } from '#compute/address-sample.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { Random } from '#test/support/random.ts'
import { trials } from '#test/support/trials.ts'

const folder = temporaryFolder('killed')
const whole = path.join(folder, 'whole')
const wholeData = path.join(folder, 'whole-data')
const allData = path.join(folder, 'all-data')
const random = new Random(1_914)

const killer = path.join(import.meta.dirname, '../support/kill-at.ts')

const start = (dataDir: string, blocks: string, environment: Record<string, string> = {}) =>
  startCoinstrata(['update', '--yes', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', dataDir], {
    environment,
    nodeArguments: ['--import', killer],
  })

const generationSchema = z.object({ id: z.string(), tables: z.record(z.string(), z.object({ sha256: z.string() })) })

/**
 * Reads the current generation over and over, once more when told to stop; returns the ids in the
 * order in which they came.
 */
async function readAllTheTime(dataDir: string, stop: AbortSignal): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const isLast = stop.aborted
    const published = path.join(dataDir, 'published')
    const current = path.join(published, readlinkSync(path.join(published, 'current')))
    const { id, tables } = generationSchema.parse(
      JSON.parse(readFileSync(path.join(current, 'generation.json'), 'utf8')),
    )
    for (const [name, { sha256 }] of Object.entries(tables)) {
      const bytes = readFileSync(path.join(current, `${name}.parquet`))
      expect(createHash('sha256').update(bytes).digest('hex'), `${name} of ${id}`).toBe(sha256)
    }
    if (ids.at(-1) !== id) ids.push(id)
    if (isLast) return ids
    await sleep(trials(40, 10))
  }
}

describe('runs that are killed', { timeout: 600_000 }, () => {
  let partData: string
  let seconds: number
  let operations: number

  beforeAll(async () => {
    partData = (await publishedChain(60)).dataDir
    await writeChain(whole, makeChain(361), 360)
    cpSync(partData, wholeData, { recursive: true, verbatimSymlinks: true })
    const begin = performance.now()
    const countFile = path.join(folder, 'operations')
    const { exitCode, stderr } = await start(wholeData, whole, { OPERATIONS_FILE: countFile }).outcome
    expect(exitCode, stderr).toBe(0)
    seconds = (performance.now() - begin) / 1000
    operations = Number(readFileSync(countFile, 'utf8'))
    expect(operations).toBeGreaterThan(50)
    await updateFolder(allData, whole, undefined, { addresses: 'all' })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Kills a run at a random file operation, or at a random time from its start of work on. */
  async function killOne(dataDir: string, byOperation: boolean, addresses: AddressMode): Promise<void> {
    const environment = { ADDRESSES: addresses }
    if (byOperation) {
      const run = start(dataDir, whole, { ...environment, KILL_AT: String(random.between(1, operations)) })
      await run.outcome
      return
    }
    const run = start(dataDir, whole, environment)
    await sleep(1000 * seconds * (0.25 + 0.75 * random.next()))
    run.process.kill('SIGKILL')
    await run.outcome
  }

  it.each([
    ['sample', wholeData],
    ['all', allData],
  ] as const)(
    'leave whole generations behind, and the next ends as if nothing had been, with ADDRESSES=%s',
    async (addresses, expected) => {
      const dataDir = path.join(folder, `killed-${addresses}`)
      cpSync(partData, dataDir, { recursive: true, verbatimSymlinks: true })
      const [before] = readdirSync(path.join(dataDir, 'published')).sort()
      const stop = new AbortController()
      const reading = readAllTheTime(dataDir, stop.signal)
      for (let kill = 0; kill < trials(2, 10); kill++) await killOne(dataDir, kill % 2 === 0, addresses)
      // As DuckDB leaves it behind when it is killed while it needs more than its memory.
      const spilled = path.join(dataDir, 'state/tmp/duckdb_temp_storage_DEFAULT-0.tmp')
      mkdirSync(path.dirname(spilled), { recursive: true })
      writeFileSync(spilled, 'spilled')
      await updateFolder(dataDir, whole, { rescan: true }, { addresses })
      stop.abort()

      const ids = await reading
      expect(ids[0]).toBe(before)
      expect(ids).toEqual([...new Set(ids)].sort())
      expect(ids.at(-1)).toBe(readlinkSync(path.join(dataDir, 'published/current')))
      expect(await tableDifferences(dataDir, expected)).toEqual({})
      for (const place of ['published', 'raw', 'raw/headers', 'raw/segments']) {
        const names = readdirSync(path.join(dataDir, place))
        expect(names.filter((name) => name.startsWith('.tmp-'))).toEqual([])
      }
      expect(existsSync(spilled)).toBe(false)
      for (const place of ['raw/segments', ...(addresses === 'all' ? ['raw/balances'] : [])]) {
        expect(readdirSync(path.join(dataDir, place)).sort()).toEqual(readdirSync(path.join(expected, place)).sort())
      }
    },
  )
})
