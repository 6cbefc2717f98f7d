import { hash, randomUUID } from 'node:crypto'
import { constants, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { canAccess } from '#base/file-access.ts'
import { parseJson } from '#base/parse-json.ts'
import { type NetworkName, networkNames, networks } from '#ingest/chain/networks.ts'
import { removeUnfinished, replaceFile } from '#sql/files.ts'
import { currentGeneration, type OpenGeneration, publishedFolder, todayLink } from '#sql/generation.ts'
import { diskFull } from '#sql/parquet.ts'
import { followLock, readLockOwner, recordLockOwner } from '#state/lock-owner.ts'

/**
 * Format of the data folder, and the first program version that reads it. Raise both if released
 * versions would misread or damage a folder of this one.
 */
const folderFormat = { format: 1, readable_since: '1.0.0' }

/** Without a network, the folder belongs to none yet. */
const ownerSchema = z.object({
  network: z.enum(networkNames).optional(),
  genesis_hash: z.string().optional(),
  /** Random; copies of the folder have the same. */
  id: z.string().optional(),
  format: z.literal(folderFormat.format),
})
type Owner = z.infer<typeof ownerSchema>

const formatSchema = z.object({ format: z.int(), readable_since: z.string() })

export const ownerName = 'raw/network.json'
const ownerFile = (dataDir: string): string => path.join(dataDir, ownerName)

/** Saved states of the cohort pass, from which updates continue. */
export const checkpointsFolder = (dataDir: string): string => path.join(dataDir, 'raw', 'checkpoints')

/** Cache of merged hourly prices of old months. */
export const mergedHoursFolder = (dataDir: string): string => path.join(dataDir, 'raw', 'merged-hours')

/** Describes segments taken over from another operator; see `scan/bootstrap-history.ts`. */
export const historyFile = (dataDir: string): string => path.join(dataDir, 'raw', 'history.json')

/** Saved state of the search for prices on the chain. */
export const onchainPricesFolder = (dataDir: string): string => path.join(dataDir, 'raw', 'onchain-prices')

/** Removes what computations continue from; they then begin with the first day. */
export function removeSavedStates(dataDir: string): void {
  for (const folder of [checkpointsFolder, onchainPricesFolder]) {
    rmSync(folder(dataDir), { recursive: true, force: true })
  }
}

const correctionFile = (dataDir: string): string => path.join(dataDir, 'raw', 'corrected')

/**
 * Time of the last corrected segment. Corrected segments keep their names, so keys of published
 * data include it.
 */
export const lastCorrection = (dataDir: string): string =>
  existsSync(correctionFile(dataDir)) ? readFileSync(correctionFile(dataDir), 'utf8') : ''

/**
 * Records that a stored segment held wrong amounts, and removes all saved states, which may include
 * them.
 */
export function recordCorrection(dataDir: string): void {
  replaceFile(correctionFile(dataDir), new Date().toISOString())
  removeSavedStates(dataDir)
}

export const segmentsFolder = (dataDir: string): string => path.join(dataDir, 'raw', 'segments')

/** Outputs of labelled addresses, by unit; `labelsFolder` has the lists. */
export const labelEventsFolder = (dataDir: string): string => path.join(dataDir, 'raw', 'labels')

/** The operator's lists of addresses (CSV). */
export const labelsFolder = (dataDir: string): string => path.join(dataDir, 'labels')

export const stateFolder = (dataDir: string): string => path.join(dataDir, 'state')

/** Folder in which the node writes its coins: one per data folder below `DUMP_FOLDER`. */
export const dumpFolder = (dataDir: string, named?: string): string =>
  named === undefined
    ? path.join(dataDir, 'state', 'dump')
    : path.join(named, `coinstrata-${hash('sha256', path.resolve(dataDir)).slice(0, 8)}`)

export const temporaryFolder = (dataDir: string): string => path.join(dataDir, 'state', 'tmp')

/** Temporary files of the follower. Updates have their own, because both run at the same time. */
export const followFolder = (dataDir: string): string => path.join(dataDir, 'state', 'follow')

/**
 * Runs `work` as the only writer of the data folder. The lock is a database transaction, which ends
 * with the process: a killed run does not block the next. Throws `data_folder_in_use`,
 * `data_folder_mismatch`, `data_folder_unwritable`.
 */
export async function withDataFolder<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  refuseUnwritable(dataDir)
  refuseOtherFormat(dataDir)
  try {
    return await withLock(path.join(dataDir, 'state', 'lock.db'), `writing to ${dataDir}`, () => {
      prepare(dataDir)
      return work()
    })
  } catch (cause) {
    throw folderError(cause, dataDir)
  }
}

/**
 * Runs `work` as the only follower of the data folder. Updates may run at the same time, but do not
 * write the follower's files. Throws `data_folder_in_use`, `data_folder_unwritable`.
 */
export async function withFollower<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withLock(followLock(dataDir), `following the node for ${dataDir}`, () => {
      const folder = path.dirname(todayLink(publishedFolder(dataDir)))
      mkdirSync(folder, { recursive: true })
      removeUnfinished(folder)
      rmSync(followFolder(dataDir), { recursive: true, force: true })
      return work()
    })
  } catch (cause) {
    throw folderError(cause, dataDir)
  }
}

/**
 * Runs `work` as the only process for which the node writes its coins. Throws `data_folder_in_use`.
 */
export const withDump = <T>(dataDir: string, work: () => Promise<T>): Promise<T> =>
  withLock(path.join(dataDir, 'state', 'dump.db'), `reading the coins of the node for ${dataDir}`, work)

/** Runs `work` as the only process that finds coins of wallets. Throws `data_folder_in_use`. */
export const withWallets = <T>(dataDir: string, work: () => Promise<T>): Promise<T> =>
  withLock(path.join(dataDir, 'state', 'wallets.db'), `updating the wallets of ${dataDir}`, work)

/** Adds a cure to errors of a full disk or an unwritable folder; returns others unchanged. */
export const folderError = (cause: unknown, dataDir: string): unknown =>
  diskFull(cause, dataDir) ?? unwritable(cause, dataDir) ?? cause

async function withLock<T>(file: string, what: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  try {
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    } catch (cause) {
      if (!(cause instanceof Error && /locked|busy/i.test(cause.message))) throw cause
      throw new CoinstrataError('data_folder_in_use', `another run is ${what}: ${readLockOwner(file)}`, {
        cure: 'wait until it ends, or give this run its own data folder (DATA_DIR)',
      })
    }
    recordLockOwner(file)
    return await work()
  } finally {
    database.close()
  }
}

const writtenFolders = (dataDir: string): string[] => [
  publishedFolder(dataDir),
  path.join(dataDir, 'raw'),
  path.join(dataDir, 'raw', 'headers'),
  segmentsFolder(dataDir),
  checkpointsFolder(dataDir),
]

/** Returns the folder, or the nearest existing one above it. */
export const existingPart = (folder: string): string =>
  existsSync(folder) ? folder : existingPart(path.dirname(folder))

/** Throws `data_folder_unwritable` if this user cannot write to or create a folder. */
export function refuseUnwritable(
  dataDir: string,
  folders = [...writtenFolders(dataDir), stateFolder(dataDir), labelsFolder(dataDir)],
): void {
  for (const place of new Set(folders.map(existingPart))) {
    if (!statSync(place).isDirectory()) throw folderUnwritable(`cannot write to ${dataDir}: ${place} is a file`)
    if (!canAccess(place, constants.W_OK)) throw folderUnwritable(`this user cannot write to ${place}`)
  }
}

function prepare(dataDir: string): void {
  for (const folder of writtenFolders(dataDir)) {
    mkdirSync(folder, { recursive: true })
    removeUnfinished(folder)
  }
  for (const folder of [labelsFolder(dataDir), labelEventsFolder(dataDir)]) {
    if (existsSync(folder)) removeUnfinished(folder)
  }
  rmSync(temporaryFolder(dataDir), { recursive: true, force: true })
  if (readOwner(dataDir) === undefined) writeOwner(dataDir)
}

function unwritable(cause: unknown, dataDir: string): CoinstrataError | undefined {
  if (!(cause instanceof Error) || cause instanceof CoinstrataError) return undefined
  const denied = /^E(ACCES|PERM|ROFS|NOTDIR)\b/.test(cause.message) && cause.message.includes(dataDir)
  if (!denied && !/unable to open database file|readonly database/.test(cause.message)) return undefined
  return folderUnwritable(`cannot write to ${dataDir}: ${cause.message}`, cause)
}

const folderUnwritable = (message: string, cause?: Error): CoinstrataError =>
  new CoinstrataError('data_folder_unwritable', message, {
    cause,
    cure: 'choose a folder that this user can write to (DATA_DIR or --data-dir), or fix its permissions',
  })

/** Network of the folder's data; `undefined` for a fresh folder. Throws `data_folder_mismatch`. */
export const folderNetwork = (dataDir: string): NetworkName | undefined => readOwner(dataDir)?.network

/** Tells data folders of one network apart; copies of a folder have its id. */
export const folderId = (dataDir: string): string | undefined => readOwner(dataDir)?.id

/**
 * Throws `data_folder_mismatch` if another program version wrote the folder in an unknown format.
 */
export function refuseOtherFormat(dataDir: string): void {
  const file = ownerFile(dataDir)
  if (existsSync(file)) requireFormat(parseJson(readFileSync(file, 'utf8')), file)
}

function readOwner(dataDir: string): Owner | undefined {
  const file = ownerFile(dataDir)
  return existsSync(file) ? parseOwner(readFileSync(file, 'utf8'), file) : undefined
}

/** Parses `raw/network.json`. Throws `data_folder_mismatch`, `invalid_file`. */
export function parseOwner(text: string, file: string): Owner {
  const content = parseJson(text)
  requireFormat(content, file)
  const { success, data, error: cause } = ownerSchema.safeParse(content)
  if (success) return data
  throw new CoinstrataError('invalid_file', `${file} is damaged`, {
    cause,
    cure: 'check the disk; remove the file and run "coinstrata update" with the same settings as before, which writes it again',
  })
}

function requireFormat(content: unknown, file: string): void {
  const { data } = formatSchema.safeParse(content)
  if (data === undefined || data.format === folderFormat.format) return
  const message = `${file} has format ${data.format}, and this version reads format ${folderFormat.format} only`
  throw new CoinstrataError('data_folder_mismatch', message, {
    cure: `install a version that reads it, such as ${data.readable_since}, or use another data folder (DATA_DIR)`,
  })
}

const writeOwner = (dataDir: string, owner: Pick<Owner, 'network' | 'genesis_hash'> = {}): void => {
  const id = readOwner(dataDir)?.id ?? randomUUID()
  replaceFile(ownerFile(dataDir), `${JSON.stringify({ ...owner, id, ...folderFormat })}\n`)
}

/** True if the folder has never held market data or a scanned chain. */
export function isUnused(dataDir: string): boolean {
  const raw = path.join(dataDir, 'raw')
  const used = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0
  return folderNetwork(dataDir) === undefined && !used(path.join(raw, 'market')) && !used(publishedFolder(dataDir))
}

/** Throws `data_not_ready` if nothing is published. */
export function requireGeneration(dataDir: string): OpenGeneration {
  const current = currentGeneration(dataDir)
  if (current) return current
  throw new CoinstrataError('data_not_ready', `nothing is published in ${dataDir} yet`, {
    cure: 'run "coinstrata update"',
  })
}

/** Throws `data_folder_mismatch` if the folder belongs to another network. */
export function refuseOtherNetwork(dataDir: string, network: NetworkName): void {
  const owner = folderNetwork(dataDir)
  if (owner === undefined || owner === network) return
  throw new CoinstrataError('data_folder_mismatch', `${dataDir} holds data of ${owner}, not of ${network}`, {
    cure: `give ${network} its own data folder: set DATA_DIR (or --data-dir) to another folder`,
  })
}

/**
 * Records the network of a fresh folder, or checks it. Call it only once data of the network has
 * been read: after a wrong setting, the folder would reject its own network. Throws
 * `data_folder_mismatch`.
 */
export function claimDataFolder(dataDir: string, network: NetworkName): void {
  refuseOtherNetwork(dataDir, network)
  if (folderNetwork(dataDir) === network) return
  const { genesisHash } = networks[network]
  writeOwner(dataDir, { network, genesis_hash: genesisHash })
}
