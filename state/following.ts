import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'

const followingSchema = z.object({
  /** Height of the node's tip, as of its last answer; null before the first. */
  nodeHeight: z.int().nullable(),
  /**
   * Height of the block up to which the open day is published; null before the first publication.
   */
  followedHeight: z.int().nullable(),
  /** When a tip was seen that is not published yet, in ms since 1970. */
  behindSince: z.number().nullable(),
  /** Last answer of a node that does not answer now, in ms since 1970. */
  unreachableSince: z.number().nullable(),
})
/** How far a follower is behind its node. */
export type Following = z.infer<typeof followingSchema>

const followingFile = (dataDir: string): string => path.join(dataDir, 'state', 'following.json')

/**
 * Undefined if nothing was followed yet, or if the file is damaged, which the next block replaces.
 */
export const readFollowing = (dataDir: string): Following | undefined =>
  readIntactJson(followingFile(dataDir), followingSchema)

/** Returns a function that records changes, for the process that follows the node. */
export function recordFollowing(dataDir: string): (changes: Partial<Following>) => void {
  let following: Following = { nodeHeight: null, followedHeight: null, behindSince: null, unreachableSince: null }
  let isWritten = false
  return (changes) => {
    const before = following
    following = { ...following, ...changes }
    if (isWritten && isDeepStrictEqual(following, before)) return
    writeIntactJson(followingFile(dataDir), following)
    isWritten = true
  }
}
