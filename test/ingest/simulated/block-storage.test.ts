import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BlockStorage } from '#ingest/simulated/block-storage.ts'

// Linux's device on which every write finds the disk full.
it.skipIf(!existsSync('/dev/full'))('names the file for which the disk has no room', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coinstrata-full-disk-'))
  const file = join(folder, 'blk00000.dat')
  symlinkSync('/dev/full', file)
  const storage = new BlockStorage({ folder, magic: 1, key: new Uint8Array(8), fileBytes: 1024 })
  const message = expect.stringContaining(file)
  await expect(storage.finish(new Uint8Array(100))).rejects.toThrow(
    expect.objectContaining({ code: 'disk_full', message }),
  )
  rmSync(folder, { recursive: true })
})
