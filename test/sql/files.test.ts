import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { publishFolder, replaceFile, unfinishedPath } from '#sql/files.ts'

let folder: string
let synced: string[]

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coinstrata-files-'))
  synced = []
  const paths = new Map<number, string>()
  const { openSync } = fs
  vi.spyOn(fs, 'openSync').mockImplementation((file, ...more) => {
    const descriptor = openSync(file, ...more)
    paths.set(descriptor, path.relative(folder, String(file)))
    return descriptor
  })
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => void synced.push(paths.get(descriptor)!))
  syncBuiltinESMExports()
})

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  fs.rmSync(folder, { recursive: true })
})

it('syncs a file and its folder', () => {
  replaceFile(path.join(folder, 'one'), 'content')
  expect(synced).toEqual([path.basename(unfinishedPath('one')), ''])
})

it('syncs the files of an unfinished folder once, before the folder has its name', () => {
  const unfinished = unfinishedPath(path.join(folder, 'made'))
  for (const name of ['one', 'two']) replaceFile(path.join(unfinished, name), name)
  expect(synced).toEqual([])
  publishFolder(unfinished, path.join(folder, 'made'))
  const name = path.basename(unfinished)
  expect(synced).toEqual([`${name}/one`, `${name}/two`, name, ''])
  expect(fs.readdirSync(path.join(folder, 'made'))).toEqual(['one', 'two'])
})

it("syncs files in a folder that only has another process's prefix", () => {
  const other = path.join(folder, `.tmp-${process.pid}1-made`)
  replaceFile(path.join(other, 'one'), 'content')
  expect(synced).toHaveLength(2)
})
