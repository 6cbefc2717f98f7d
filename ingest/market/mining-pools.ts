import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { parseJson } from '#base/parse-json.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { decodeAddress } from '../chain/address-script.ts'
import { createHttpClient } from './http.ts'

export interface MiningPool {
  readonly id: string
  readonly name: string
  readonly link: string | null
  /** Scripts that pay the pool itself, in hexadecimal. */
  readonly scripts: readonly string[]
  /** Texts in coinbases' input scripts. */
  readonly tags: readonly string[]
}

const builtInFile = path.join(import.meta.dirname, '../../data/reference/mining-pools.json')

/** Replaces the built-in list. */
const importedFile = (dataDir: string): string => path.join(dataDir, 'raw', 'market', 'mining-pools.json')

const publicList = 'https://raw.githubusercontent.com/mempool/mining-pools/master/pools-v2.json'

const poolId = (name: string): string =>
  name
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join('_') ?? ''

const isRepeated = (id: string, at: number, ids: readonly string[]): boolean => ids.indexOf(id) < at

const listSchema = z
  .array(
    z.object({
      name: z.string().refine((name) => poolId(name) !== '', 'has no letter or digit for an id'),
      link: z.string(),
      addresses: z.array(z.string().refine((text) => decodeAddress(text) !== undefined, 'is no Bitcoin address')),
      tags: z.array(z.string().min(1)),
    }),
  )
  .min(1)
  .refine((pools) => !pools.map(({ name }) => poolId(name)).some(isRepeated), 'two pools have the same name')
type PoolList = z.infer<typeof listSchema>

/** In the order of the list. Throws `data_folder_damaged`. */
export function readMiningPools(dataDir: string): readonly MiningPool[] {
  const file = importedFile(dataDir)
  const damaged = (cause: unknown): CoinstrataError =>
    new CoinstrataError('data_folder_damaged', `${file} is damaged`, {
      cause,
      cure: 'check the disk; run "coinstrata import pools" again, or remove the file for the built-in list',
    })
  return readIntactJson(file, z.object({ pools: listSchema }), damaged)?.pools.map(toPool) ?? builtInPools()
}

let builtIn: readonly MiningPool[] | undefined

export function builtInPools(): readonly MiningPool[] {
  builtIn ??= listSchema.parse(parseJson(readFileSync(builtInFile, 'utf8'))).map(toPool)
  return builtIn
}

/**
 * Replaces the pools by a file or address with JSON like https://github.com/mempool/mining-pools,
 * and returns them. Throws `invalid_file`, `market_source_failed`.
 */
export async function importMiningPools(dataDir: string, source = publicList): Promise<MiningPool[]> {
  const pools = /^https?:/.test(source) ? await download(source) : readList(source)
  writeIntactJson(importedFile(dataDir), { pools })
  return pools.map(toPool)
}

const download = (url: string): Promise<PoolList> =>
  createHttpClient({ source: 'mining-pools', baseUrl: url, requestsPerMinute: 60 }).json(listSchema, '')

function readList(file: string): PoolList {
  let content: unknown
  try {
    content = parseJson(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw invalidList(`${file} cannot be read`, cause)
  }
  const { success, data, error } = listSchema.safeParse(content)
  if (success) return data
  const { path: place, message } = error.issues[0]!
  throw invalidList([file, ...(place.length > 0 ? [place.join('.')] : []), message].join(': '), error)
}

const invalidList = (message: string, cause: unknown): CoinstrataError =>
  new CoinstrataError('invalid_file', message, {
    cause,
    cure: `give a file or an address with JSON like ${publicList}; the list in use stays as it is`,
  })

const toPool = ({ name, link, addresses, tags }: PoolList[number]): MiningPool => ({
  id: poolId(name),
  name,
  link: /^https?:/.test(link) ? link : null,
  scripts: addresses.map((text) => Buffer.from(decodeAddress(text)!.script).toString('hex')),
  tags,
})
