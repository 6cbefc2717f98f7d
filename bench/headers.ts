import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { mainnetShape, makeHeaderFiles } from './header-files.ts'
import { print } from './report.ts'

const resultSchema = z.object({ seconds: z.number(), cpuSeconds: z.number(), megabytes: z.number(), blocks: z.int() })

/** The header tree of mainnet's size from block files, then from the cache, in separate processes. */
export async function benchHeaders(folder: string): Promise<void> {
  const blocksFolder = path.join(folder, 'header-files')
  const cacheFolder = path.join(folder, 'header-cache')
  await makeHeaderFiles(blocksFolder, mainnetShape)
  rmSync(cacheFolder, { recursive: true, force: true })
  const read = () => {
    const program = new URL('./read-headers.ts', import.meta.url).pathname
    const output = execFileSync(process.execPath, [program, blocksFolder, cacheFolder], { encoding: 'utf8' })
    return resultSchema.parse(JSON.parse(output))
  }
  const { blocks, files } = mainnetShape
  console.log(`\nheaders: ${blocks} blocks in ${files} files`)
  for (const [work, aim] of [
    ['tree and chain, from the block files', undefined],
    ['tree and chain, from the cache', '1 s, 150 MB'],
  ] as const) {
    const { seconds, cpuSeconds, megabytes, blocks: found } = read()
    if (found !== blocks) throw new Error(`${found} of ${blocks} blocks were found`)
    const figure = `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU)`
    print({ work, figure, beside: `${megabytes.toFixed(0)} MB more than an empty process`, ...(aim && { aim }) })
  }
}
