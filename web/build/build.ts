import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib, zstdCompress } from 'node:zlib'
import { type OutputChunk, rolldown } from 'rolldown'
import { fontFile } from '#render/draw/inter.ts'
import { guideModules } from './guides.ts'
import { hashSources } from './sources.ts'
import { writeStyles } from './styles.ts'

const web = path.join(import.meta.dirname, '..')
const fontFolder = path.join(web, '..', 'render', 'fonts')
const built = path.join(web, 'built')
/** What is being written, which takes the place of the pages before when it is whole. */
const unfinished = path.join(web, 'built.new')

const [toGzip, toBrotli, toZstd] = [promisify(gzip), promisify(brotliCompress), promisify(zstdCompress)]

/** Beside the pages, a hash of what they were made of. */
const sourcesFile = 'sources.sha256'

/** A file that browsers may keep for ever: its name holds the hash of what is in it. */
interface Asset {
  readonly name: string
  readonly content: string | Uint8Array
}

/**
 * Writes web/built/, which the server hands out: `index.html`, and below `assets/` scripts, styles and fonts under names
 * that change with their content, each also compressed. Does nothing where they are built of the same sources already.
 */
export async function buildWeb(): Promise<void> {
  const sources = hashSources()
  const builtOf = path.join(built, sourcesFile)
  if (existsSync(builtOf) && readFileSync(builtOf, 'utf8') === sources) return
  const [scripts, [theme]] = await Promise.all([
    bundle('start.tsx', '[name]-[hash].js'),
    bundle('theme-choice.ts', '[name]-[hash].js', 'iife'),
  ])
  const start = scripts.find(({ isEntry }) => isEntry)
  if (!start || !theme) throw new Error('the bundler gave no entry')
  const fonts = readdirSync(fontFolder)
    .filter((name) => name.endsWith('.woff2'))
    .map((name) => ({ font: name, asset: hashed(name, readFileSync(path.join(fontFolder, name))) }))
  const addresses = new Map(fonts.map(({ font, asset }) => [font, asset.name]))
  const styles = hashed(
    'styles.css',
    writeStyles(path.join(web, 'styles'), (font) => addresses.get(font) ?? font),
  )
  const mark = hashed('mark.svg', readFileSync(path.join(web, 'mark.svg')))
  const code = [...scripts, theme].map((chunk): Asset => ({ name: chunk.fileName, content: chunk.code }))

  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(path.join(unfinished, 'assets'), { recursive: true })
  await Promise.all([...code, ...fonts.map(({ asset }) => asset), styles, mark].map(writeAsset))
  // What nearly every page loads next is asked for at once, instead of one after the other.
  const drawing = scripts.find(({ moduleIds }) =>
    moduleIds.some((id) => id.endsWith('/render/page/page.ts') || id.endsWith('/render/draw/chart.ts')),
  )
  const early = new Set([...start.imports, ...(drawing ? [drawing.fileName, ...drawing.imports] : [])])
  early.delete(start.fileName)
  const preloads = [...early].map((name) => `<link rel="modulepreload" href="assets/${name}">`).join('\n')
  const names: Readonly<Record<string, string>> = {
    mark: mark.name,
    font: addresses.get(fontFile(400, 'latin')) ?? '',
    theme: theme.fileName,
    styles: styles.name,
    start: start.fileName,
  }
  const page = readFileSync(path.join(web, 'index.html'), 'utf8')
  writeFileSync(
    path.join(unfinished, 'index.html'),
    page.replace('{{preloads}}', preloads).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => `assets/${names[name]}`),
  )
  writeFileSync(path.join(unfinished, sourcesFile), sources)
  rmSync(built, { recursive: true, force: true })
  renameSync(unfinished, built)
}

async function bundle(input: string, name: string, format: 'es' | 'iife' = 'es'): Promise<OutputChunk[]> {
  const build = await rolldown({
    input: path.join(web, input),
    platform: 'browser',
    tsconfig: path.join(web, 'tsconfig.json'),
    plugins: [guideModules],
  })
  const { output } = await build.generate({
    format,
    minify: true,
    entryFileNames: name,
    chunkFileNames: name,
  })
  await build.close()
  const chunks = output.filter((one) => one.type === 'chunk')
  const names = new Set(chunks.map(({ fileName }) => fileName))
  const missing = chunks.flatMap(({ imports }) => imports.filter((one) => !names.has(one)))
  if (missing.length > 0) throw new Error(`a page would load what is not there: ${missing.join(', ')}; run npm ci`)
  return chunks
}

function hashed(name: string, content: string | Uint8Array): Asset {
  const { name: stem, ext } = path.parse(name)
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
  return { name: `${stem}-${hash}${ext}`, content }
}

/** Fonts are compressed as they are. */
async function writeAsset({ name, content }: Asset): Promise<void> {
  const file = path.join(unfinished, 'assets', name)
  const bytes = Buffer.from(content)
  writeFileSync(file, bytes)
  if (name.endsWith('.woff2')) return
  writeFileSync(`${file}.gz`, await toGzip(bytes, { level: 9 }))
  writeFileSync(`${file}.br`, await toBrotli(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 11 } }))
  writeFileSync(`${file}.zst`, await toZstd(bytes, { params: { [zlib.ZSTD_c_compressionLevel]: 19 } }))
}

if (import.meta.main) await buildWeb()
