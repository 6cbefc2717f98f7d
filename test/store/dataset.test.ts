import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { digestFile } from '#sql/file-digest.ts'
import { currentGeneration } from '#sql/generation.ts'
import { writeDataset } from '#store/dataset.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { rowsOf } from '#test/support/published.ts'
import { publishedGenerations } from '#test/support/published-generations.ts'
import { canImport, python } from '#test/support/python.ts'

const folder = temporaryFolder('dataset')
afterAll(() => rmSync(folder, { recursive: true }))
const [chain] = await publishedGenerations()
const dataset = path.join(folder, 'set')
const bytes = await writeDataset(chain!.dataDir, dataset, 'CC-BY-4.0')
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(dataset, name), 'utf8'))

const named = z.object({ name: z.string() })
const croissantSchema = z.object({
  license: z.string(),
  description: z.string(),
  distribution: z.array(named.extend({ contentUrl: z.string(), contentSize: z.string(), sha256: z.string() })),
  recordSet: z.array(named.extend({ field: z.array(named.extend({ description: z.string() })) })),
})
const packageSchema = z.object({
  licenses: z.array(z.unknown()),
  resources: z.array(
    named.extend({
      path: z.string(),
      bytes: z.int(),
      hash: z.string(),
      schema: z.object({ fields: z.array(named.extend({ unit: z.string().optional() })) }),
    }),
  ),
})

it('has every file of the generation with its checksum and all columns, in both descriptions', async () => {
  const croissant = croissantSchema.parse(read('croissant.json'))
  const dataPackage = packageSchema.parse(read('datapackage.json'))
  const { generation } = currentGeneration(chain!.dataDir)!
  const names = dataPackage.resources.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(generation.tables)))
  expect(croissant.recordSet.map(({ name }) => name)).toEqual(names)
  let total = 0
  for (const [i, { name, path: file, bytes: size, hash, schema }] of dataPackage.resources.entries()) {
    const digest = await digestFile(path.join(dataset, file))
    total += size
    expect([size, hash]).toEqual([digest.bytes, `sha256:${digest.sha256}`])
    expect(croissant.distribution[i]).toMatchObject({
      contentUrl: file,
      contentSize: `${size} B`,
      sha256: digest.sha256,
    })
    const columns = await rowsOf(`SELECT column_name FROM (DESCRIBE FROM '${path.join(dataset, file)}')`)
    expect(
      schema.fields.map((field) => field.name),
      name,
    ).toEqual(columns.flat())
    expect(croissant.recordSet[i]?.field.map((field) => field.name)).toEqual(columns.flat())
  }
  expect(total).toBe(bytes)
})

it('says units, licence and how it was proved', () => {
  const croissant = croissantSchema.parse(read('croissant.json'))
  const dataPackage = packageSchema.parse(read('datapackage.json'))
  const days = dataPackage.resources.find(({ name }) => name === 'days')
  expect(days?.schema.fields.find(({ name }) => name === 'supply_sats')?.unit).toBe('sats')
  const market = croissant.recordSet.find(({ name }) => name === 'metrics_market')
  expect(market?.field.find(({ name }) => name === 'price')?.description).toMatch(/ Unit: USD\.$/)
  expect(croissant.license).toBe('https://spdx.org/licenses/CC-BY-4.0')
  expect(dataPackage.licenses).toEqual([{ name: 'CC-BY-4.0', path: 'https://spdx.org/licenses/CC-BY-4.0' }])
  expect(croissant.description).toMatch(/issuance of 13 blocks the subsidy schedule/)
  const card = readFileSync(path.join(dataset, 'README.md'), 'utf8')
  expect(card).toMatch(/^---\nlicense: cc-by-4\.0\n/)
  expect(card).toContain('- config_name: metrics_market\n  data_files: metrics_market.parquet\n')
})

it('is refused into a folder with files, of damaged files, and with a licence that is no id', async () => {
  await expect(writeDataset(chain!.dataDir, dataset, 'MIT')).rejects.toMatchObject({ code: 'invalid_argument' })
  const other = path.join(folder, 'other')
  await expect(writeDataset(chain!.dataDir, other, '')).rejects.toThrow('has no licence')
  await expect(writeDataset(chain!.dataDir, other, 'MIT\nx: y')).rejects.toMatchObject({ code: 'invalid_argument' })
  const dataDir = path.join(folder, 'data')
  copyFolder(chain!.dataDir, dataDir)
  const { folder: current } = currentGeneration(dataDir)!
  truncateSync(path.join(current, 'days.parquet'), 100)
  await expect(writeDataset(dataDir, other, 'MIT')).rejects.toMatchObject({ code: 'invalid_file' })
  await expect(writeDataset(folder, other, 'MIT')).rejects.toMatchObject({ code: 'data_not_ready' })
})

it.skipIf(!canImport('mlcroissant', 'pyarrow'))('is read by mlcroissant', () => {
  const script = `import mlcroissant as mlc
for row in mlc.Dataset(jsonld="${dataset}/croissant.json").records(record_set="blocks"): print(row["blocks/height"])`
  const heights = execFileSync(python, ['-c', script], { encoding: 'utf8' }).trim().split('\n')
  expect(heights.map(Number)).toEqual(Array.from({ length: 13 }, (_, height) => height))
})

it.skipIf(!canImport('frictionless'))('is a valid data package', () => {
  const script = `from frictionless import Package
package = Package("${dataset}/datapackage.json")
print(Package.metadata_validate and [e.message for e in Package.metadata_validate(package.to_descriptor())], len(package.resources))`
  const { length } = packageSchema.parse(read('datapackage.json')).resources
  expect(execFileSync(python, ['-c', script], { encoding: 'utf8' }).trim()).toBe(`[] ${length}`)
})
