import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { makeSimulatedChain, type SimulatedChain } from '#ingest/simulated/chain.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { findChain, readCoreFiles } from './core-files.ts'

const folder = temporaryFolder('simulated')
afterAll(() => rmSync(folder, { recursive: true }))

const make = (name: string, endDay: number): Promise<SimulatedChain> =>
  makeSimulatedChain({ folder: path.join(folder, name), seed: 1, endDay, size: 'tiny' })
const endDay = parseDay('2010-02-08')
let made: SimulatedChain
let hashes: string[]

beforeAll(async () => {
  made = await make('chain', endDay)
  hashes = findChain(readCoreFiles(path.join(folder, 'chain', 'blocks')), made.tipHash).chain.map(({ hash }) => hash)
})

it.each([2, 100, 300])('the simulated chain has the same blocks as one that ends %i days earlier', async (days) => {
  const shorter = await make('shorter', endDay - days)
  expect(shorter.tipHeight).toBeLessThan(made.tipHeight)
  expect(shorter.tipHash).toBe(hashes[shorter.tipHeight])
})
