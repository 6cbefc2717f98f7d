import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { address, networks as addressNetworks } from 'bitcoinjs-lib'
import { listGenerationIds, type OpenGeneration, openGeneration, publishedFolder } from '#sql/generation.ts'
import { writeFolderLake } from '#store/lake/generations.ts'
import { type Metadata, metadataSchema } from '#store/lake/metadata.ts'
import { openScript } from '#test/support/coins.ts'
import { fixture } from '#test/support/fixture.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { updateFolder } from '#test/support/made-folder.ts'

/** Publishes two generations with every table that there can be, and their lake. */
export async function publishLake(dataDir: string): Promise<{ generations: OpenGeneration[]; blocks: string }> {
  const made = await fixture('lake-generations', async (unfinished) => {
    const [data, blocks] = [path.join(unfinished, 'data'), path.join(unfinished, 'blocks')]
    const chain = makeChain(16)
    const own = address.fromOutputScript(openScript('wsh'), addressNetworks.regtest)
    mkdirSync(path.join(data, 'labels'), { recursive: true })
    writeFileSync(path.join(data, 'labels', 'own.csv'), `address,name\n${own},Miner\n`)
    for (const count of [12, 15]) {
      await writeChain(blocks, chain, count)
      await updateFolder(data, blocks, {}, { fine: true, publishLabels: true })
    }
  })
  cpSync(path.join(made, 'data'), dataDir, { recursive: true, verbatimSymlinks: true })
  await writeFolderLake(dataDir)
  const open = (id: string): OpenGeneration => openGeneration(path.join(publishedFolder(dataDir), id))
  return { generations: listGenerationIds(dataDir).map(open), blocks: path.join(made, 'blocks') }
}

/** The newest metadata of a table, as readers of folders find them. */
export function tableAt(location: string): Metadata {
  const version = readFileSync(path.join(location, 'metadata', 'version-hint.text'), 'utf8')
  return metadataSchema.parse(
    JSON.parse(readFileSync(path.join(location, 'metadata', `v${version}.metadata.json`), 'utf8')),
  )
}
