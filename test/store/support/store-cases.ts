import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { currentGenerationId, listGenerationIds, publishedFolder } from '#sql/generation.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { Puller } from '#store/pull.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { currentFolder } from '#test/support/published.ts'
import { publishedGenerations } from '#test/support/published-generations.ts'
import { hasMoto, type S3Server, startS3 } from './stores.ts'

export const soon = { retries: { retries: 1, minTimeout: 1 } }
export const storeAt = (place: string) => openStore(pathToFileURL(place).href)

/** As text, which is compared at once; matchers compare buffers byte by byte. */
export const filesOf = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(currentFolder(dataDir)).map((name) => [
      name,
      readFileSync(path.join(currentFolder(dataDir), name), 'latin1'),
    ]),
  )

/** Expects a data folder to which nothing was published, but what it holds is whole. */
export function expectWhole(dataDir: string, ids: readonly string[]): void {
  expect(listGenerationIds(dataDir)).toEqual(ids)
  expect(readdirSync(publishedFolder(dataDir)).filter((name) => name.startsWith('.tmp-'))).toEqual([])
}

/** Four machines that have published one generation after the other, and places for stores. */
export async function useWriters() {
  const writers = await publishedGenerations()
  const folder = temporaryFolder('store')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let places = 0
  const writer = (made: number): string => writers[made]!.dataDir
  return {
    writer,
    /** The block files of the first. */
    blocks: writers[0]!.blocks,
    idOf: (made: number): string => currentGenerationId(writer(made))!,
    newPlace: (): string => path.join(folder, `place-${places++}`),
  }
}

/** Declares the tests of a store of files or of S3. */
export function describeStore(
  isS3: boolean,
  { writer, idOf, newPlace }: Pick<Awaited<ReturnType<typeof useWriters>>, 'writer' | 'idOf' | 'newPlace'>,
): void {
  describe(`${isS3 ? 'S3' : 'files'} as a store`, () => {
    let s3: S3Server | undefined
    beforeAll(async () => {
      if (!isS3 || !hasMoto) return
      s3 = await startS3('tables')
      for (const [name, value] of Object.entries(s3.environment)) vi.stubEnv(name, value)
    })
    afterAll(() => {
      vi.unstubAllEnvs()
      s3?.process.kill()
    })

    it.skipIf(isS3 && !hasMoto)(
      'gives each new generation to who pulls, byte for byte, and only what is new',
      async () => {
        const store = isS3 ? await openStore('s3://tables/main/net') : await storeAt(newPlace())
        const reader = newPlace()
        const puller = new Puller(store, reader, soon)
        await expect(puller.pull()).rejects.toMatchObject({ code: 'data_not_ready' })
        const first = await publishToStore(store, writer(0))
        expect(first).toMatchObject({ id: idOf(0), unchanged: false, removed: [] })
        expect(await publishToStore(store, writer(0))).toMatchObject({ unchanged: true, bytes: 0 })

        const pulled = await puller.pull()
        expect(pulled?.generation.id).toBe(idOf(0))
        expect(pulled?.bytes).toBe(first.bytes + filesOf(writer(0))['generation.json']!.length)
        expect(filesOf(reader)).toEqual(filesOf(writer(0)))
        expect(await puller.look()).toBeUndefined()
        expect(await puller.pull()).toBeUndefined()

        const second = await publishToStore(store, writer(1))
        const { bytes } = (await puller.pull())!
        // Registries and other tables without new rows are here already.
        expect(bytes).toBeLessThan(second.bytes - 10_000)
        expect(filesOf(reader)).toEqual(filesOf(writer(1)))
        expectWhole(reader, [idOf(0), idOf(1)])
      },
    )

    it.skipIf(isS3 && !hasMoto)('lets one of two writers win, and tells the other', async () => {
      const store = isS3 ? await openStore('s3://tables/race') : await storeAt(newPlace())
      const outcomes = await Promise.allSettled([publishToStore(store, writer(0)), publishToStore(store, writer(1))])
      const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(lost).toHaveLength(1)
      expect(lost[0]!.reason).toMatchObject({ code: 'store_conflict', message: expect.stringContaining('on its way') })
      const reader = newPlace()
      const { generation } = (await new Puller(store, reader, soon).pull())!
      const won = outcomes.findIndex((outcome) => outcome.status === 'fulfilled')
      expect(generation.id).toBe(idOf(won))
      expect(filesOf(reader)).toEqual(filesOf(writer(won)))
    })

    it.skipIf(isS3 && !hasMoto)('sends nothing that is there, and removes what failed writers left', async () => {
      const store = isS3 ? await openStore('s3://tables/again') : await storeAt(newPlace())
      const [left, other] = ['g/failed/days.parquet', `g/${idOf(0)}/unfinished`]
      for (const key of [left, other]) await store.write(key, Buffer.from('half'), 'absent')
      await publishToStore(store, writer(0))
      const tableKey = `g/${idOf(0)}/blocks.parquet`
      await store.remove(tableKey)
      await store.remove('current.json')
      const write = vi.spyOn(store, 'write')
      await publishToStore(store, writer(0))
      const written = write.mock.calls.map(([key]) => key)
      expect(written).toEqual([tableKey, `g/${idOf(0)}/generation.json`, 'current.json'])
      const keys = async () => (await store.list('g/')).map(({ key }) => key)
      expect(await keys()).toEqual(expect.arrayContaining([left, other, tableKey]))
      await publishToStore(store, writer(1), { now: () => Date.now() + 25 * 3_600_000 })
      expect(await keys()).not.toEqual(expect.arrayContaining([left]))
      expect(await keys()).not.toEqual(expect.arrayContaining([other]))
      const files = [0, 1].flatMap((made) =>
        readdirSync(currentFolder(writer(made))).map((name) => `g/${idOf(made)}/${name}`),
      )
      expect((await keys()).sort()).toEqual(files.sort())
    })

    it.skipIf(isS3 && !hasMoto)('removes what nobody can be pulling any more', async () => {
      const store = isS3 ? await openStore('s3://tables/old') : await storeAt(newPlace())
      const removed: string[][] = []
      for (const [made, hours] of [0, 2, 3, 4].entries()) {
        const now = (): number => Date.UTC(2026, 0, 1, hours)
        removed.push([...(await publishToStore(store, writer(made), { now, graceMs: 1.5 * 3_600_000 })).removed])
      }
      // Three are kept, and the fourth for the grace after it was replaced.
      expect(removed).toEqual([[], [], [], [idOf(0)]])
      expect(await store.read(`g/${idOf(0)}/generation.json`)).toBeUndefined()
      expect(await store.read(`g/${idOf(0)}/blocks.parquet`)).toBeUndefined()
      const kept = await store.read(`g/${idOf(1)}/generation.json`)
      if (kept === undefined || kept === 'unchanged') throw new Error('it is gone')
      kept.body.destroy()
    })
  })
}
