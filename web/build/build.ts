import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib, zstdCompress } from 'node:zlib'
import { type CodeSplittingOptions, type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { type PageName, type PagePreloads, pages } from '#contract/pages.ts'
import { fontFile } from '#render/draw/inter.ts'
import { guides } from '../pages/guides/guide-list.ts'
import { preloadRequests } from '../pages/preloads.ts'
import { readAgreement } from './agreement.ts'
import { writeChartSchema } from './chart-schema.ts'
import { guideFiles, guideModules, llmsText } from './guide-modules.ts'
import { searchTexts } from './search-texts.ts'
import { writeStyles } from './styles.ts'

const web = path.join(import.meta.dirname, '..')
const project = path.join(web, '..')
const fontFolder = path.join(project, 'render', 'fonts')
const built = path.join(web, 'built')
/** Renamed to `built` when complete. */
const unfinished = path.join(web, 'built.new')

/**
 * Modules that this many pages share go into one file: on slow connections, many small files wait
 * for each other.
 */
const sharedByMany = 10

const [toGzip, toBrotli, toZstd] = [promisify(gzip), promisify(brotliCompress), promisify(zstdCompress)]

const sourcesFile = 'sources.sha256'

/** Cacheable forever: the name contains a hash of the content. */
interface Asset {
  readonly name: string
  readonly content: string | Uint8Array
}

/** Worker and WebAssembly for the page SQL. Memory grows to 2 GB instead of 4: browsers end large pages. */
function duckDb(): Asset[] {
  const read = (file: string): Buffer => readFileSync(path.join(project, 'node_modules/@duckdb/duckdb-wasm/dist', file))
  const code = read('duckdb-browser-eh.worker.js').toString().replace('maximum:65536', 'maximum:32768')
  return [hashed('duckdb.worker.js', code), hashed('duckdb.wasm', read('duckdb-eh.wasm'))]
}

/**
 * Writes web/built/ for the server: HTML documents, `preloads.json` (scripts and requests to
 * preload, by page), `llms.txt`, guides as Markdown, and `assets/` with hashed names, compressed
 * too except fonts. Does nothing if no source changed.
 */
export async function buildWeb(): Promise<void> {
  const sources = hashSources()
  const builtSources = path.join(built, sourcesFile)
  if (existsSync(builtSources) && readFileSync(builtSources, 'utf8') === sources) return
  // Embedded charts load no code of the pages.
  const [scripts, themeChosen, embedded, themeNamed] = await Promise.all([
    bundle('start.tsx', 'es', { groups: [{ name: 'common', minShareCount: sharedByMany }] }),
    bundle('theme-choice.ts', 'iife'),
    bundle('embed/start-embed.tsx'),
    bundle('embed/address-theme.ts', 'iife'),
  ])
  const fonts = readdirSync(fontFolder)
    .filter((name) => name.endsWith('.woff2'))
    .map((name) => ({ font: name, asset: hashed(name, readFileSync(path.join(fontFolder, name))) }))
  const addresses = new Map(fonts.map(({ font, asset }) => [font, asset.name]))
  const styles = hashed(
    'styles.css',
    writeStyles(path.join(web, 'styles'), (font) => addresses.get(font) ?? font),
  )
  const mark = hashed('mark.svg', readFileSync(path.join(web, 'mark.svg')))
  const chunks = [scripts, themeChosen, embedded, themeNamed].flat()
  const code = chunks.map((chunk): Asset => ({ name: chunk.fileName, content: chunk.code }))

  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(path.join(unfinished, 'assets'), { recursive: true })
  await Promise.all([...code, ...fonts.map(({ asset }) => asset), styles, mark, ...duckDb()].map(writeAsset))
  const font = (weight: 400 | 600): string => addresses.get(fontFile(weight, 'latin')) ?? ''
  const names = { mark: mark.name, font: font(400), boldFont: font(600), styles: styles.name }
  writeDocument('index.html', names, themeChosen, scripts)
  writeDocument('embed/embed.html', names, themeNamed, embedded)
  writeDocument('reference.html', names, themeChosen, themeChosen)
  mkdirSync(path.join(unfinished, 'guides'))
  for (const [name, text] of guideFiles()) writeFileSync(path.join(unfinished, 'guides', `${name}.md`), text)
  writeFileSync(path.join(unfinished, 'llms.txt'), llmsText())
  writeFileSync(path.join(unfinished, 'preloads.json'), JSON.stringify(findPreloads(scripts)))
  writeFileSync(path.join(unfinished, sourcesFile), sources)
  rmSync(built, { recursive: true, force: true })
  renameSync(unfinished, built)
}

/** The server adds the scripts of single pages. */
function writeDocument(
  template: string,
  files: Readonly<Record<string, string>>,
  theme: readonly OutputChunk[],
  scripts: readonly OutputChunk[],
): void {
  const start = findEntry(scripts)
  const preloads = start.imports.map((name) => `<link rel="modulepreload" href="assets/${name}">`).join('\n')
  const names: Readonly<Record<string, string>> = { ...files, theme: findEntry(theme).fileName, start: start.fileName }
  const page = readFileSync(path.join(web, template), 'utf8')
    .replace('{{preloads}}', preloads)
    .replaceAll(/\{\{(\w+)\}\}/g, (place, name: string) => (names[name] ? `assets/${names[name]}` : place))
  writeFileSync(path.join(unfinished, path.basename(template)), page)
}

/** Excludes scripts that all pages load. */
function findPreloads(scripts: readonly OutputChunk[]): Record<string, PagePreloads> {
  const shared = collectImports(findEntry(scripts), scripts)
  return Object.fromEntries(
    (Object.keys(pages) as PageName[]).map((page) => {
      const file = new RegExp(`/web/pages/\\w+/${page}\\.tsx$`)
      const chunk = scripts.find(({ facadeModuleId }) => facadeModuleId && file.test(facadeModuleId))
      if (!chunk) throw new Error(`the page ${page} has no script: add web/pages/*/${page}.tsx`)
      const { always, plain } = preloadRequests(page)
      const inPage = (address: string): string => address.replaceAll('%7B', '{').replaceAll('%7D', '}')
      return [
        page,
        {
          scripts: [...collectImports(chunk, scripts)]
            .filter((name) => !shared.has(name))
            .map((name) => `assets/${name}`),
          always: always.map(inPage),
          plain: plain.map(inPage),
        },
      ]
    }),
  )
}

function collectImports(chunk: OutputChunk, scripts: readonly OutputChunk[], found = new Set<string>()): Set<string> {
  if (found.has(chunk.fileName)) return found
  found.add(chunk.fileName)
  for (const one of scripts) if (chunk.imports.includes(one.fileName)) collectImports(one, scripts, found)
  return found
}

function findEntry(chunks: readonly OutputChunk[]): OutputChunk {
  const entry = chunks.find(({ isEntry }) => isEntry)
  if (!entry) throw new Error('the bundler returned no entry chunk')
  return entry
}

const colorLists = /= (new Array\(\d\)\.concat\([^;]*\)\.map\(colors\));/g
const loadingCalls =
  /(?<=[=(,] ?)(?=(?:colors|ramp(?:\$\d+)?|interpolateCubehelixLong|cubehelix(?:\$1)?|rgb(?:Spline)?|h[sc]l|interpolateTransform|zoom|timeInterval|(?:time|utc)Weekday|ticker|curveRadial|Blur2|shuffler|bisector|\(function \w+)\()/g
/** Pages parse no dates with D3. */
const dateParsers = /,\s*(?:parse|utcParse): function\(specifier\) \{[\s\S]*?\n {4}\}/g
/** Charts write dates with `%b`, `%B`, `%d`, `%H`, `%M`, `%y` and `%Y` only. */
const dateFormats = /"[^bBdHMyY]": (?:format\w+|null),?\s/g
/** Methods of curves and color spaces that charts do not use; Rolldown keeps what is assigned. */
const unusedMethods =
  /^(?:(?!Linear\.|Step\.)[A-Z]\w+\.prototype = \{|\(MonotoneY|define\((?:Hcl|Cubehelix),)[\s\S]*?\n\}\)*;$/gm
/** Charts use no named colors. */
const colorNames = /(?<=var named = ){[^}]*}/

/** Drops unused D3 code (11 kB): marks values computed at load as pure. */
const trimmedD3: Plugin = {
  name: 'trimmed-d3',
  transform: {
    filter: { id: /d3-/ },
    handler: (code) =>
      code
        .replaceAll(colorLists, '= /* @__PURE__ */ (() => $1)();')
        .replaceAll(loadingCalls, '/* @__PURE__ */ ')
        .replace(colorNames, '{}')
        .replaceAll(dateParsers, '')
        .replaceAll(dateFormats, '')
        .replaceAll(unusedMethods, ''),
  },
}

/** Copies the color scales per importer, which then loads only those it uses. */
const splitColorScales: Plugin = {
  name: 'split-color-scales',
  resolveId: {
    filter: { id: /^d3-scale-chromatic$/ },
    handler: async function (source, importer) {
      const found = await this.resolve(source, importer, { skipSelf: true })
      return found && { ...found, id: `${found.id}?${path.basename(importer ?? '')}` }
    },
  },
  load: { filter: { id: /d3-scale-chromatic.*\?/ }, handler: (id) => readFileSync(id.replace(/\?.*/, ''), 'utf8') },
}

/** Default exports of generated modules, by name. */
const generated: Readonly<Record<string, () => string>> = {
  ...guideModules,
  'agreement:all': () => JSON.stringify(readAgreement()),
  'chart-schema:all': writeChartSchema,
  'duckdb:files': () => JSON.stringify(duckDb().map(({ name }) => `assets/${name}`)),
}

const generatedModules: Plugin = {
  name: 'generated-modules',
  resolveId: (id) => (Object.hasOwn(generated, id) ? id : null),
  load: (id) => (Object.hasOwn(generated, id) ? `export default ${generated[id]?.()}` : null),
}

async function bundle(
  input: string,
  format: 'es' | 'iife' = 'es',
  codeSplitting: CodeSplittingOptions = {},
): Promise<OutputChunk[]> {
  const build = await rolldown({
    input: path.join(web, input),
    platform: 'browser',
    tsconfig: path.join(web, 'tsconfig.json'),
    plugins: [generatedModules, searchTexts, splitColorScales, trimmedD3],
  })
  const name = '[name]-[hash].js'
  const { output } = await build.generate({
    format,
    minify: true,
    entryFileNames: name,
    chunkFileNames: name,
    ...(format === 'es' && { codeSplitting }),
  })
  await build.close()
  const chunks = output.filter((one) => one.type === 'chunk')
  const names = new Set(chunks.map(({ fileName }) => fileName))
  const missing = chunks.flatMap(({ imports }) => imports.filter((one) => !names.has(one)))
  if (missing.length > 0) throw new Error(`scripts import missing files: ${missing.join(', ')}; run "npm ci"`)
  return chunks
}

function hashed(name: string, content: string | Uint8Array): Asset {
  const { name: stem, ext } = path.parse(name)
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
  return { name: `${stem}-${hash}${ext}`, content }
}

async function writeAsset({ name, content }: Asset): Promise<void> {
  const file = path.join(unfinished, 'assets', name)
  const bytes = Buffer.from(content)
  // Better encodings of 34 MB take minutes, and more files make the package larger.
  if (!name.endsWith('.wasm')) writeFileSync(file, bytes)
  if (name.endsWith('.woff2')) return
  writeFileSync(`${file}.gz`, await toGzip(bytes, { level: 9, memLevel: 6 }))
  if (name.endsWith('.wasm')) return
  writeFileSync(`${file}.br`, await toBrotli(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 11 } }))
  // Without the size, zstd allocates tables for any size: 90 % of the time.
  const size = { pledgedSrcSize: bytes.length }
  writeFileSync(`${file}.zst`, await toZstd(bytes, { ...size, params: { [zlib.ZSTD_c_compressionLevel]: 19 } }))
}

/** Everything that the pages import (docs/imports.md) and the build itself. */
const sourceFolders = ['base', 'clients', 'contract', 'data/reference/search', 'render', 'sql', 'web']
const sourceFiles = [
  'data/reference/events.json',
  'package-lock.json',
  'tsconfig.json',
  ...guides.map(({ file }) => file),
]
const isBuildOutput = (file: string): boolean => /^web[\\/]built(\.new)?[\\/]/.test(file)

/** Equal hashes mean equal builds. */
function hashSources(): string {
  const hash = createHash('sha256')
  const inFolders = sourceFolders.flatMap((folder) =>
    readdirSync(path.join(project, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(project, path.join(entry.parentPath, entry.name))),
  )
  for (const file of [...sourceFiles, ...inFolders.filter((one) => !isBuildOutput(one)).sort()]) {
    const content = readFileSync(path.join(project, file))
    hash.update(`\n${file} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

if (import.meta.main) await buildWeb()
