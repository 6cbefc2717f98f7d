import { cpSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { checkpointsFolder, segmentsFolder } from '#compute/data-folder.ts'
import { joinSegments } from '#compute/scan/join-segments.ts'
import { readScannedChain } from '#compute/scan/scanned-chain.ts'
import { segmentRows, segmentStore, segmentTables } from '#compute/scan/segment-parts.ts'
import { withSession } from '#sql/session.ts'
import { computeFolder, ingestFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedChain } from '#test/support/published-chain.ts'

export const readKeys = (dataDir: string): string[] => readScannedChain(dataDir)?.segments ?? []
export const names = (dataDir: string): string[] => readdirSync(segmentsFolder(dataDir)).sort()
export const joinedNames = (dataDir: string): string[] => names(dataDir).filter((name) => name.startsWith('joined-'))

/** A published chain, and copies of it with joined segments. */
export async function useJoined() {
  const folder = temporaryFolder('joined')
  const { blocks, dataDir: plain } = await publishedChain(230)
  const made = path.join(folder, 'made')
  let next = 0

  beforeAll(async () => {
    cpSync(plain, made, { recursive: true, verbatimSymlinks: true })
    await join(made)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Joins segments by three, but for the newest. */
  const join = (dataDir: string): Promise<void> =>
    withSession({ temporaryFolder: path.join(folder, 'tmp') }, (connection) =>
      joinSegments(connection, segmentStore(dataDir), readKeys(dataDir), { segmentsPerJoin: 3, unjoinedCount: 1 }),
    )

  function copyOfJoined(): string {
    const copy = path.join(folder, `copy-${next++}`)
    cpSync(made, copy, { recursive: true, verbatimSymlinks: true })
    return copy
  }

  /** Number of rows of these segments that differ between two folders, in all tables. */
  const differingRows = (one: string, other: string, keys: readonly string[]): Promise<number> =>
    withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
      let rows = 0
      for (const table of segmentTables) {
        const [a, b] = [one, other].map((each) => segmentRows(segmentStore(each), keys, table))
        const result = await connection.runAndReadAll(
          `SELECT count(*)::INTEGER FROM ((FROM ${a} EXCEPT ALL FROM ${b}) UNION ALL (FROM ${b} EXCEPT ALL FROM ${a}))`,
        )
        rows += Number(result.getRows()[0]?.[0])
      }
      return rows
    })

  /** Damages files of a joined segment and of a single one, and expects that both are scanned anew. */
  async function expectScannedAnew(damage: (file: string) => void): Promise<void> {
    const dataDir = copyOfJoined()
    const [joined = ''] = joinedNames(dataDir)
    const single = names(dataDir).find((name) => !name.startsWith('joined-')) ?? ''
    damage(path.join(segmentsFolder(dataDir), joined, 'flows.parquet'))
    damage(path.join(segmentsFolder(dataDir), single, 'blocks.parquet'))
    // Without a checkpoint all segments are read.
    rmSync(checkpointsFolder(dataDir), { recursive: true })
    await expect(computeFolder(dataDir, blocks)).rejects.toMatchObject({ code: 'data_not_ready' })
    await ingestFolder(dataDir, blocks)
    expect(await differingRows(dataDir, plain, readKeys(plain))).toBe(0)
  }

  return { blocks, plain, made, join, copyOfJoined, differingRows, expectScannedAnew }
}
