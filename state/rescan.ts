import { rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'

const rescanSchema = z.object({
  /** Names no file and no machine. */
  why: z.string(),
  /** Estimate of bytes and time. */
  effort: z.string(),
  isAllowed: z.boolean(),
})
/** A second scan of all blocks, for changes that wait until the operator allows it. */
export type Rescan = z.infer<typeof rescanSchema>

const rescanFile = (dataDir: string): string => path.join(dataDir, 'state', 'rescan.json')

export const readRescan = (dataDir: string): Rescan | undefined => readIntactJson(rescanFile(dataDir), rescanSchema)

/** Returns the second scan that waited, or undefined if none did. */
export function allowRescan(dataDir: string): Rescan | undefined {
  const rescan = readRescan(dataDir)
  if (!rescan || rescan.isAllowed) return undefined
  recordRescan(dataDir, { ...rescan, isAllowed: true })
  return rescan
}

export function recordRescan(dataDir: string, rescan: Rescan | undefined): void {
  if (rescan) writeIntactJson(rescanFile(dataDir), rescan)
  else rmSync(rescanFile(dataDir), { force: true })
}
