import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import {
  currentGenerationId,
  type Generation,
  listGenerations,
  type OpenGeneration,
  rollBackToGeneration,
  type StoredGeneration,
} from '#sql/generation.ts'
import { withDataFolder } from '../data-folder.ts'

export interface Rollback {
  readonly from: string
  readonly to: Generation
}

const listCommand = '"coinstrata generations" lists what is kept'

/**
 * Switches to another stored generation (default: the one before the current) after checking all
 * its files. Throws `data_not_ready`, `invalid_file`.
 */
export function rollBack(dataDir: string, id?: string): Promise<Rollback> {
  return withDataFolder(dataDir, async () => {
    const from = currentGenerationId(dataDir)
    if (from === undefined) {
      throw new CoinstrataError('data_not_ready', `nothing is published in ${dataDir} yet`, {
        cure: 'run "coinstrata update"',
      })
    }
    const kept = listGenerations(dataDir)
    const chosen = id === undefined ? findPrevious(from, kept) : findById(id, kept)
    const { generation } = await requireIntact(chosen)
    if (chosen.id !== from) rollBackToGeneration(dataDir, chosen.id)
    return { from, to: generation }
  })
}

function findPrevious(current: string, kept: readonly StoredGeneration[]): StoredGeneration {
  const found = kept.findLast(({ id }) => id < current)
  if (found) return found
  const message =
    kept.length === 1 ? `${current} is the only generation that is kept` : `no generation before ${current} is kept`
  throw new CoinstrataError('generation_missing', message, {
    cure: kept.length === 1 ? 'each publication adds one; "coinstrata compute" makes a new one' : listCommand,
  })
}

function findById(wanted: string, kept: readonly StoredGeneration[]): StoredGeneration {
  const found = kept.find(({ id }) => id === wanted)
  if (found) return found
  throw new CoinstrataError('generation_missing', `no generation ${wanted} is kept`, {
    cure: `choose one of ${kept.map(({ id }) => id).join(', ')}`,
  })
}

/** Throws `invalid_file` if files of the generation have changed since publication. */
async function requireIntact({ id, opened }: StoredGeneration): Promise<OpenGeneration> {
  const damaged = (what: string): CoinstrataError =>
    new CoinstrataError('invalid_file', `generation ${id} cannot be used: ${what}`, {
      cure: `choose another one: ${listCommand}; or run "coinstrata compute", which makes a new one`,
    })
  if (!opened) throw damaged('its generation.json is missing or damaged')
  for (const [table, published] of Object.entries(opened.generation.tables)) {
    const change = await describeFileChange(path.join(opened.folder, `${table}.parquet`), published)
    if (change !== undefined) throw damaged(change)
  }
  return opened
}
