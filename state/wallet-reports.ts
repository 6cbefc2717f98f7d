import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { readIntact } from '#sql/intact-file.ts'

/** The operator's wallets. Nothing of them may be anywhere else in the data folder. */
export const walletsFolder = (dataDir: string): string => path.join(dataDir, 'wallets')

export const walletFolder = (dataDir: string, name: string): string => path.join(walletsFolder(dataDir), name)

export const reportName = 'report'

/** JSON of each wallet that was computed and is intact. */
export function readWalletReports(dataDir: string): string[] {
  const folder = walletsFolder(dataDir)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const report = readIntact(path.join(folder, name, reportName))
      return report ? [Buffer.from(report).toString()] : []
    })
}
