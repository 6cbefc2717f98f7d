import { withDataFolder } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { writeFolderLake } from '#store/lake/generations.ts'

/** Where the settings ask for tables of Iceberg, brings those of the data folder up to date with its generations. */
export async function renewLake({ LAKE, DATA_DIR: dataDir }: Settings): Promise<void> {
  if (LAKE === 'on') await withDataFolder(dataDir, () => writeFolderLake(dataDir))
}
