import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { segmentsFolder } from '#compute/data-folder.ts'
import { removeOtherSegments, segmentStore, storedSegments } from '#compute/scan/segment-parts.ts'
import { computeFolder, ingestFolder } from '#test/support/made-folder.ts'
import { tableDifferences } from '#test/support/published.ts'
import { joinedNames, names, readKeys, useJoined } from './support/joined-segments.ts'

const { blocks, plain, made, join, copyOfJoined, differingRows, expectScannedAnew } = await useJoined()

describe('joined segments', () => {
  it('hold every row of the segments that they replace, of all of them and of some', async () => {
    const keys = readKeys(plain)
    expect(keys.length).toBe(7)
    expect(names(plain)).toEqual([...keys].sort())
    expect(joinedNames(made).length).toBe(2)
    expect(names(made).length).toBe(3)
    expect(await differingRows(plain, made, keys)).toBe(0)
    expect(
      await differingRows(
        plain,
        made,
        keys.filter((_, i) => i % 3 !== 1),
      ),
    ).toBe(0)
    for (const key of keys) expect(await differingRows(plain, made, [key]), key).toBe(0)
  })

  it('stay as they are when they are joined again, and give the same tables', async () => {
    const dataDir = copyOfJoined()
    await join(dataDir)
    expect(names(dataDir)).toEqual(names(made))
    await computeFolder(dataDir, blocks)
    expect(await tableDifferences(dataDir, plain)).toEqual({})
    expect(names(dataDir)).toEqual(names(made))
    expect(await ingestFolder(dataDir, blocks)).toMatchObject({ blocks: 0 })
  })

  it('give way to a segment that stands beside them', async () => {
    const dataDir = copyOfJoined()
    const [key = ''] = readKeys(dataDir)
    const other = readKeys(dataDir)[1] ?? ''
    // As if the first had been scanned again with the content of the second.
    cpSync(path.join(segmentsFolder(plain), other), path.join(segmentsFolder(dataDir), key), { recursive: true })
    expect(await differingRows(dataDir, plain, readKeys(dataDir).slice(1))).toBe(0)
    expect(await differingRows(dataDir, plain, [key])).toBeGreaterThan(0)
  })

  it('are passed over where a killed run left what they replace', async () => {
    const dataDir = copyOfJoined()
    const [first = ''] = joinedNames(dataDir)
    for (const key of readKeys(dataDir)) {
      cpSync(path.join(segmentsFolder(plain), key), path.join(segmentsFolder(dataDir), key), { recursive: true })
    }
    expect(await differingRows(plain, dataDir, readKeys(plain))).toBe(0)
    removeOtherSegments(segmentStore(dataDir), readKeys(dataDir))
    expect(names(dataDir)).toEqual([...readKeys(plain)].sort())
    expect(names(dataDir)).not.toContain(first)
  })

  it('are scanned anew where a file has a flipped bit, and so are single ones', () =>
    expectScannedAnew((file: string) => {
      const bytes = readFileSync(file)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4
      writeFileSync(file, bytes)
    }))

  it('are damaged without their manifest, as single ones are', () => {
    const dataDir = copyOfJoined()
    const known = (): number => storedSegments(segmentStore(dataDir)).size
    const before = known()
    const single = names(dataDir).find((name) => !name.startsWith('joined-'))!
    rmSync(path.join(segmentsFolder(dataDir), single, 'segment.json'))
    expect(known()).toBe(before - 1)
    expect(names(dataDir)).not.toContain(single)
    rmSync(path.join(segmentsFolder(dataDir), joinedNames(dataDir)[0]!, 'segment.json'))
    expect(known()).toBeLessThan(before - 1)
  })

  it('are found damaged within sixteen days where nothing was written to the file', () => {
    const dataDir = copyOfJoined()
    const [joined = ''] = joinedNames(dataDir)
    const manifest = path.join(segmentsFolder(dataDir), joined, 'segment.json')
    const file = path.join(segmentsFolder(dataDir), joined, 'flows.parquet')
    const stored = readKeys(dataDir).length
    expect(storedSegments(segmentStore(dataDir)).size).toBe(stored)
    appendFileSync(file, 'x')
    const content = JSON.parse(readFileSync(manifest, 'utf8'))
    const days = Array.from({ length: 16 }, (_, day) => day)
    const found = days.findIndex((day) => storedSegments(segmentStore(dataDir), day * 86_400_000).size < stored)
    expect(found).toBe(Number.parseInt(content.files.flows.slice(0, 4), 16) % 16)
    expect(joinedNames(dataDir)).not.toContain(joined)
  })
})
