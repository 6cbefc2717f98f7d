import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDataFolder } from '#compute/data-folder.ts'
import { currentGenerationId, listGenerationIds, publishedFolder, rollBackToGeneration } from '#sql/generation.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { publishedGenerations } from '#test/support/published-generations.ts'

const folder = temporaryFolder('rollback')
const dataDir = path.join(folder, 'data')
const published = await publishedGenerations()
let ids: string[]

afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]): Promise<Outcome> => coinstrata([...args, '--data-dir', dataDir])
const update = (made: number, ...args: string[]): Promise<Outcome> =>
  run('update', '--network', 'regtest', '--blocksdir', published[made]!.blocks, ...args)

it('with nothing published is refused', async () => {
  expect(await run('rollback')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('[data_not_ready]') })
  expect((await run('generations')).stdout).toContain('nothing is published yet')
})

it('with one generation is refused, and nothing changes', async () => {
  copyFolder(published[0]!.dataDir, dataDir)
  const current = currentGenerationId(dataDir)
  const { exitCode, stderr } = await run('rollback')
  expect(exitCode).toBe(3)
  expect(stderr).toContain(`${current} is the only generation that is kept [generation_missing]`)
  expect(currentGenerationId(dataDir)).toBe(current)
})

describe('among three generations', () => {
  beforeAll(() => {
    copyFolder(published[2]!.dataDir, dataDir)
    ids = listGenerationIds(dataDir)
    expect(ids).toHaveLength(3)
  })

  const columns = /^(current)? +(\S+) {2}(\d{4}-\d\d-\d\d \d\d:\d\d UTC) {2}(\S+ to \S+) +(\d+) +(.*)$/

  it('lists them newest first, with what each holds', async () => {
    const [head, ...rows] = (await run('generations')).stdout.trimEnd().split('\n')
    expect(head).toMatch(/^ +id +published +days +tip +proved$/)
    const cells = rows.map((row) => columns.exec(row)?.slice(1))
    expect(cells.map((row) => row?.slice(0, 2))).toEqual([
      ['current', ids[2]],
      [undefined, ids[1]],
      [undefined, ids[0]],
    ])
    // Genesis is of 2011-02-02, 23:16 UTC, and three blocks make a day.
    expect(cells.map((row) => row?.slice(3))).toEqual([
      ['2011-02-02 to 2011-02-07', '18', '19 of 19 blocks'],
      ['2011-02-02 to 2011-02-06', '15', '16 of 16 blocks'],
      ['2011-02-02 to 2011-02-05', '12', '13 of 13 blocks'],
    ])
  })

  it('goes back one by one to the oldest, and forward to the one that is named', async () => {
    expect((await run('status')).stdout).not.toMatch(/^newer/m)
    expect((await run('rollback')).stdout).toContain(`${ids[1]} is current now (2011-02-02 to 2011-02-06, block 15)`)
    expect(currentGenerationId(dataDir)).toBe(ids[1])
    await run('rollback')
    expect(currentGenerationId(dataDir)).toBe(ids[0])
    const { stdout } = await run('status')
    expect(stdout).toContain(`generation  ${ids[0]},`)
    expect(stdout).toMatch(/^network {5}regtest, read from the files of the node$/m)
    for (const id of ids.slice(1)) expect(stdout).toContain(`newer       ${id} was left; "coinstrata rollback ${id}"`)
    expect(stdout).toMatch(/^run +rollback .* ok .*: from \S+ to \S+$/m)
    expect((await run('rollback')).stderr).toContain(`no generation before ${ids[0]} is kept [generation_missing]`)
    await run('rollback', ids[2]!)
    expect(currentGenerationId(dataDir)).toBe(ids[2])
    expect((await run('rollback', ids[2]!)).stdout).toBe(`${ids[2]} is already current\n`)
  })

  it.each(['nonsense', '..', '../published', 'current'])(
    'refuses the id %s and names those that there are',
    async (id) => {
      const { exitCode, stderr } = await run('rollback', id)
      expect(exitCode).toBe(3)
      expect(stderr).toContain(`no generation ${id} is kept [generation_missing]`)
      expect(stderr).toContain(ids.join(', '))
      expect(currentGenerationId(dataDir)).toBe(ids[2])
    },
  )

  it.each<[string, string, (file: string) => void, string]>([
    ['without generation.json', 'generation.json', (file) => rmSync(file), 'generation.json is missing or damaged'],
    [
      'of another form',
      'generation.json',
      (file) => writeFileSync(file, '{}'),
      'generation.json is missing or damaged',
    ],
    ['without a table', 'days.parquet', (file) => rmSync(file), 'days.parquet is missing'],
    ['with a shortened table', 'days.parquet', (file) => truncateSync(file, 50), 'is not the file that was published'],
    ['with a flipped bit', 'flows.parquet', flipBit, 'is not the file that was published'],
  ])('does not go to a generation %s', async (_, name, damage, says) => {
    const file = path.join(publishedFolder(dataDir), ids[1]!, name)
    const content = readFileSync(file)
    try {
      damage(file)
      const { exitCode, stderr } = await run('rollback')
      expect(exitCode).toBe(2)
      expect(stderr).toContain('[invalid_file]')
      expect(stderr).toContain(says)
      expect(currentGenerationId(dataDir)).toBe(ids[2])
    } finally {
      writeFileSync(file, content)
    }
  })

  it('lists a damaged one as such', async () => {
    const file = path.join(publishedFolder(dataDir), ids[0]!, 'generation.json')
    const content = readFileSync(file)
    writeFileSync(file, content.subarray(0, 100))
    expect((await run('generations')).stdout).toContain(`${ids[0]}  its generation.json is missing or damaged\n`)
    writeFileSync(file, content)
  })

  it('waits for no other writer', async () => {
    const { exitCode, stderr } = await withDataFolder(dataDir, () => run('rollback'))
    expect(exitCode).toBe(3)
    expect(stderr).toContain('[data_folder_in_use]')
    expect(currentGenerationId(dataDir)).toBe(ids[2])
  })
})

describe('an update after going back', () => {
  it('stays there as long as nothing has changed since the newest generation', async () => {
    for (const id of [ids[1]!, ids[0]!]) {
      rollBackToGeneration(dataDir, id)
      for (let night = 0; night < 2; night++) {
        const { exitCode, stdout, stderr } = await update(2)
        expect(exitCode, stderr).toBe(0)
        expect(stdout).toContain(`the generation chosen by rollback, because nothing has changed since ${ids[2]}`)
        expect(currentGenerationId(dataDir)).toBe(id)
      }
    }
    expect(listGenerationIds(dataDir)).toEqual(ids)
  })

  it('publishes a new generation after a block more', async () => {
    expect((await update(3)).exitCode).toBe(0)
    const after = listGenerationIds(dataDir)
    expect(after).toHaveLength(3)
    expect(after.slice(0, 2)).toEqual(ids.slice(1))
    expect(currentGenerationId(dataDir)).toBe(after[2])
  })

  it('and with --force', async () => {
    await run('rollback')
    const before = listGenerationIds(dataDir)
    expect((await update(3, '--force')).exitCode).toBe(0)
    expect(before).not.toContain(currentGenerationId(dataDir))
  })

  it('goes back to a chain of before only by a new generation, where that is the older one', async () => {
    const newest = currentGenerationId(dataDir)
    expect((await update(2, '--allow-shorter')).exitCode).toBe(0)
    expect(currentGenerationId(dataDir)! > newest!).toBe(true)
  })
})

function flipBit(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
}
