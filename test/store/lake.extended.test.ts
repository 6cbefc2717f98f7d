import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tableNames, tables } from '#contract/tables/tables.ts'
import { type OpenGeneration, publishedFolder } from '#sql/generation.ts'
import { writeStoreLake } from '#store/lake/generations.ts'
import { metadataSchema } from '#store/lake/metadata.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishLake, tableAt } from './support/lake-generations.ts'
import { hasMoto, type S3Server, startS3 } from './support/stores.ts'

const folder = temporaryFolder('lake')
const dataDir = path.join(folder, 'data')
const python = process.env.PYTHON_TOOLS && path.join(process.env.PYTHON_TOOLS, 'python')
const hasPyIceberg =
  python !== undefined && existsSync(python) && canImport(python, 'import pyiceberg.table, pyarrow.parquet')
let generations: readonly OpenGeneration[]
let blocks: string

beforeAll(async () => {
  ;({ generations, blocks } = await publishLake(dataDir))
})
afterAll(() => rmSync(folder, { recursive: true }))

function canImport(program: string, modules: string): boolean {
  try {
    execFileSync(program, ['-c', modules], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const readEverything = `
import sys
import pyarrow.parquet
from pyiceberg.table import StaticTable
for location in sys.argv[1:]:
    table = StaticTable.from_metadata(location)
    for snapshot in table.metadata.snapshots:
        rows = table.scan(snapshot_id=snapshot.snapshot_id).to_arrow()
        name = location.rsplit('/', 1)[1]
        plain = '%s/' + snapshot.summary.additional_properties['generation'] + '/' + name + '.parquet'
        plain = pyarrow.parquet.read_table(plain)
        assert rows.column_names == plain.column_names, name
        for column in rows.column_names:
            assert rows[column].cast(plain[column].type).equals(plain[column]), (name, column)
        print(name, snapshot.summary.additional_properties['generation'], rows.num_rows)
`

/** Without metrics of the operator. */
const published = tableNames.filter((name) => name !== tables.own_metrics.name)

it.skipIf(!hasPyIceberg)('is read by PyIceberg, all tables at both generations', { timeout: 60_000 }, () => {
  const program = readEverything.replace('%s', publishedFolder(dataDir))
  const locations = published.map((name) => `file://${dataDir}/lake/${name}`)
  const printed = execFileSync(python ?? '', ['-c', program, ...locations], { encoding: 'utf8' })
  const expected = published.flatMap((name) =>
    generations.map(({ generation: { id, tables } }) => `${name} ${id} ${tables[name]!.rows}`),
  )
  expect(printed.trim().split('\n')).toEqual(expected)
})

it.skipIf(!hasMoto)('a lake in a store has addresses of S3 where that is S3', async () => {
  const s3: S3Server = await startS3('lake')
  try {
    for (const [name, value] of Object.entries(s3.environment)) process.env[name] = value
    const store = await openStore('s3://lake/main/net/')
    await publishToStore(store, dataDir)
    expect(await writeStoreLake(store, dataDir)).toBe(published.length)
    expect(await writeStoreLake(store, dataDir)).toBe(0)
    const found = await store.read('lake/days/metadata/v1.metadata.json')
    if (found === undefined || found === 'unchanged') throw new Error('there is no table')
    const text = Buffer.concat(await found.body.toArray()).toString()
    const table = metadataSchema.parse(JSON.parse(text))
    expect(table.location).toBe('s3://lake/main/net/lake/days')
    expect(table.snapshots[0]!['manifest-list']).toMatch(/^s3:\/\/lake\/main\/net\/lake\/days\/metadata\/1-.*\.avro$/)
  } finally {
    for (const name of Object.keys(s3.environment)) delete process.env[name]
    s3.process.kill()
  }
})

it('is brought up to date by the program where LAKE is on', async () => {
  const again = path.join(folder, 'program')
  const place = path.join(folder, 'program-store')
  cpSync(dataDir, again, { recursive: true, verbatimSymlinks: true })
  rmSync(path.join(again, 'lake'), { recursive: true })
  const environment = { LAKE: 'on', PUBLISH_FINE: 'on', PUBLISH_LABELS: 'on', PUBLISH_URL: `file://${place}` }
  const [first, second] = generations.map(({ generation }) => generation.id)
  const currentOf = (location: string): string | undefined => {
    const { snapshots, ...table } = tableAt(path.join(location, 'lake', 'cohorts'))
    return snapshots.find((one) => one['snapshot-id'] === table['current-snapshot-id'])?.summary.generation
  }
  const chain = ['--network', 'regtest', '--blocksdir', blocks]
  const updated = await coinstrata(['update', ...chain, '--data-dir', again], { environment })
  expect(updated, updated.stderr).toMatchObject({ exitCode: 0 })
  expect([again, place].map(currentOf)).toEqual([second, second])
  expect(await coinstrata(['rollback', '--data-dir', again], { environment })).toMatchObject({ exitCode: 0 })
  expect([again, place].map(currentOf)).toEqual([first, second])

  // Tables that are no longer chosen are removed; others keep their history.
  const fine = path.join(again, 'lake', 'fine_flows', 'metadata')
  expect(readdirSync(fine)).not.toEqual([])
  const without = { ...environment, PUBLISH_FINE: 'off' }
  const changed = await coinstrata(['compute', ...chain, '--data-dir', again], { environment: without })
  expect(changed, changed.stderr).toMatchObject({ exitCode: 0 })
  expect(readdirSync(fine)).toEqual([])
  expect(tableAt(path.join(again, 'lake', 'flows')).snapshots).toHaveLength(3)
})
