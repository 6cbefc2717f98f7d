import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { z } from 'zod'
import { replaceFile } from '#sql/files.ts'

const outcomeSchema = z.union([z.object({ made: z.unknown() }), z.object({ failure: z.string() })])

/**
 * Fills a folder once for all test files of a run, while the others wait. Returns it with the
 * result of `make` as JSON. If `make` throws, this throws in every test file.
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<unknown>,
): Promise<{ folder: string; made: unknown }> {
  const shared = path.join(inject('runFolder'), name)
  const folder = path.join(shared, 'folder')
  const file = path.join(shared, 'outcome.json')
  if (mkdirSync(shared, { recursive: true }) !== undefined) {
    mkdirSync(folder)
    const outcome = await make(folder).then(
      (made) => ({ made: made ?? null }),
      (error: unknown) => ({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
    replaceFile(file, JSON.stringify(outcome))
  }
  while (!existsSync(file)) await setTimeout(100)
  const outcome = outcomeSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  if ('failure' in outcome) throw new Error(`${name} could not be made: ${outcome.failure}`)
  return { folder, made: outcome.made }
}
