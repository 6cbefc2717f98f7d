import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'

const followingSchema = z.object({
  /** Tip of the node's last answer; null before the first. */
  nodeHeight: z.int().nullable(),
  /** Block up to which the open day is published; null before the first publication. */
  followedHeight: z.int().nullable(),
  /** When an unpublished tip was seen, in ms since 1970. */
  behindSince: z.number().nullable(),
  /** Last answer of a silent node, in ms since 1970. */
  unreachableSince: z.number().nullable(),
  /** Error code of a node that does not answer, or refuses to. */
  code: z.string().nullable().default(null),
})
export type Following = z.infer<typeof followingSchema>

const followingFile = (dataDir: string): string => path.join(dataDir, 'state', 'following.json')

/** Undefined if nothing was followed, or the file is damaged (until the next block). */
export const readFollowing = (dataDir: string): Following | undefined =>
  readIntactJson(followingFile(dataDir), followingSchema)

/** For the process that follows the node. */
export function recordFollowing(dataDir: string): (changes: Partial<Following>) => void {
  const times = { behindSince: null, unreachableSince: null }
  let following: Following = { nodeHeight: null, followedHeight: null, ...times, code: null }
  let isWritten = false
  return (changes) => {
    const before = following
    following = { ...following, ...changes }
    if (isWritten && isDeepStrictEqual(following, before)) return
    writeIntactJson(followingFile(dataDir), following)
    isWritten = true
  }
}
