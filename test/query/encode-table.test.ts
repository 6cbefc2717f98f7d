import { expect, it } from 'vitest'
import type { CallerWork } from '#limits/admission.ts'
import { encodeTable } from '#query/encode-table.ts'
import { type Column, tableOf } from '#query/table/columns.ts'

const rows = 20_000

async function encode(columns: readonly Column[]) {
  let threads = 0
  const lengths: number[] = []
  const pieces: Uint8Array[] = []
  const work: Pick<CallerWork, 'inThread'> = {
    inThread: (_, job) => {
      threads++
      return job()
    },
  }
  let turns = 0
  const countTurns = (): void => {
    turns++
    counting = setImmediate(countTurns)
  }
  let counting = setImmediate(countTurns)
  for await (const piece of encodeTable(tableOf(columns), 'json', work)) {
    lengths.push(piece.length)
    pieces.push(piece)
  }
  clearImmediate(counting)
  const parsed: unknown[] = JSON.parse(`[${Buffer.concat(pieces)}]`)
  return { parsed, threads, turns, longest: Math.max(...lengths) }
}

it('encodes long text here, in pieces of about equal length whatever the length of its cells', async () => {
  const long = Array.from({ length: rows }, (_, row) => (row % 7 === 0 ? null : `row ${row} `.repeat(20)))
  const { parsed, threads, turns, longest } = await encode([
    { name: 'text', kind: 'text', values: long },
    { name: 'flag', kind: 'flag', values: long.map((text) => text === null) },
  ])
  expect(parsed).toEqual(long.map((text) => ({ text, flag: text === null })))
  expect(threads).toBe(0)
  expect(turns).toBeGreaterThan(50)
  expect(longest).toBeLessThan(31_000)
})

it('encodes many numbers in threads, with the text beside them', async () => {
  const texts = Array.from({ length: rows }, (_, row) => `row ${row}`)
  const { parsed, threads } = await encode([
    { name: 'number', kind: 'number', values: Float64Array.from(texts, (_, row) => row / 2) },
    { name: 'text', kind: 'text', values: texts },
  ])
  expect(parsed).toEqual(texts.map((text, row) => ({ number: row / 2, text })))
  expect(threads).toBeGreaterThan(0)
})
