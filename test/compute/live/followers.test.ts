import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withDataFolder, withFollower } from '#compute/data-folder.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-followers-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

test('one follows at a time, and updates go on beside it', async () => {
  await withFollower(dataDir, async () => {
    await expect(withFollower(dataDir, async () => 'second')).rejects.toMatchObject({
      code: 'data_folder_in_use',
      message: expect.stringMatching(
        `^another run is following the node for ${dataDir}: process ${process.pid}, since 20`,
      ),
    })
    expect(await withDataFolder(dataDir, async () => 'update')).toBe('update')
  })
  expect(await withFollower(dataDir, async () => 'later')).toBe('later')
})
