import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { withWallets } from '#compute/data-folder.ts'
import { costMethods } from '#contract/wallets.ts'
import { networkNames } from '#ingest/chain/networks.ts'
import { readIntact, readIntactJson, writeIntact, writeIntactJson } from '#sql/intact-file.ts'
import { walletFolder, walletsFolder } from '#state/wallet-reports.ts'

/** Label of a transaction. */
const labelSchema = z.object({
  ref: z.string(),
  label: z.string(),
  /** USD per coin that was paid, instead of the market's price. */
  price: z.number().optional(),
})
export type WalletLabel = z.infer<typeof labelSchema>

const descriptorSchema = z.object({
  /** In the node's canonical form, with its checksum. */
  descriptor: z.string(),
  is_range: z.boolean(),
  /** Scripts that the wallet had derived when it was added. */
  used: z.int(),
})
export type WalletDescriptor = z.infer<typeof descriptorSchema>

const walletSchema = z.object({
  network: z.enum(networkNames),
  method: z.enum(costMethods),
  descriptors: z.array(descriptorSchema),
  labels: z.array(labelSchema),
})
export type Wallet = z.infer<typeof walletSchema>

const walletFile = (dataDir: string, name: string): string => path.join(walletFolder(dataDir, name), 'wallet.json')

export const hasWallet = (dataDir: string, name: string): boolean => existsSync(walletFile(dataDir, name))

export function listWallets(dataDir: string): string[] {
  const folder = walletsFolder(dataDir)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.sort().filter((name) => hasWallet(dataDir, name))
}

const missingWallet = (name: string): CoinstrataError =>
  new CoinstrataError('invalid_argument', `there is no wallet ${name}`, { cure: '"coinstrata wallet list" prints all' })

/** Throws `invalid_argument` if there is no such wallet, `data_folder_damaged`. */
export function readWallet(dataDir: string, name: string): Wallet {
  if (!hasWallet(dataDir, name)) throw missingWallet(name)
  const wallet = readIntactJson(walletFile(dataDir, name), walletSchema)
  if (wallet) return wallet
  throw new CoinstrataError('data_folder_damaged', `the wallet ${name} is damaged`, {
    cure: `check the disk, then remove the wallet ("coinstrata wallet remove ${name}") and add it again`,
  })
}

/** Only the user that runs the program may read the folder and its files. Throws `invalid_argument`. */
export function writeWallet(dataDir: string, name: string, wallet: Wallet): void {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    throw new CoinstrataError('invalid_argument', 'the name of a wallet has up to 40 small letters, digits and hyphens')
  const file = walletFile(dataDir, name)
  for (const folder of [walletsFolder(dataDir), path.dirname(file)]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  }
  writeIntactJson(file, wallet)
  chmodSync(file, 0o600)
}

/** Returns what to print. Throws `invalid_argument`, `data_folder_in_use`. */
export async function removeWallet(dataDir: string, name: string): Promise<string> {
  const folder = walletsFolder(dataDir)
  // An update that runs would write its files again.
  await withWallets(dataDir, async () => {
    if (!existsSync(folder) || !readdirSync(folder).includes(name)) throw missingWallet(name)
    rmSync(walletFolder(dataDir, name), { recursive: true })
  })
  return `${name} is removed\n`
}

/** Stores what can be computed again. */
export function writeDerived(file: string, content: object): void {
  writeIntact(file, [Buffer.from(JSON.stringify(content))])
  chmodSync(file, 0o600)
}

/** Undefined if missing, damaged or of another version. */
export function readDerived<T>(file: string, schema: z.ZodType<T>): T | undefined {
  const bytes = readIntact(file)
  return bytes && schema.safeParse(JSON.parse(Buffer.from(bytes).toString())).data
}
