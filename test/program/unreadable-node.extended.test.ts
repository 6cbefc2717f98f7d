import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCoinstrata, temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('unreadable')
const home = path.join(folder, 'home')
const datadir = path.join(home, '.bitcoin')
const blocks = path.join(datadir, 'blocks')
const dataDir = path.join(folder, 'data')

const update = (args: readonly string[]) =>
  startCoinstrata(['update', '--data-dir', dataDir, ...args], {
    environment: { HOME: home },
    isBoundByModes: true,
  }).outcome

beforeAll(() => {
  mkdirSync(blocks, { recursive: true })
  mkdirSync(dataDir)
  writeFileSync(path.join(blocks, 'blk00000.dat'), '')
  chmodSync(blocks, 0)
})
afterAll(() => {
  chmodSync(blocks, 0o700)
  rmSync(folder, { recursive: true })
})

describe('a node whose files this user may not read', () => {
  it.each([
    ['where it is named', ['--datadir', datadir]],
    ['where its block files are named', ['--blocksdir', blocks]],
    ['where it is found, instead of simulating a chain', []],
  ])('is said to be so %s', async (_, args) => {
    const { exitCode, stdout, stderr } = await update(args)
    expect(stderr).toContain(`cannot read the folder ${blocks} (EACCES) [source_unreadable]`)
    expect(stderr).toMatch(/\nWhat to do: run as the user of the node/)
    expect([exitCode, stdout]).toEqual([4, ''])
    expect(existsSync(path.join(dataDir, 'raw', 'simulated'))).toBe(false)
  })
})

describe('a data directory of the node', () => {
  it('that is a file is called so', async () => {
    const file = path.join(folder, 'a-file')
    writeFileSync(file, '')
    const { exitCode, stderr } = await update(['--datadir', file])
    expect(stderr).toContain(`in ${file}, which is a file, not a folder [source_not_found]`)
    expect(exitCode).toBe(4)
  })
})
