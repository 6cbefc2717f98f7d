import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { bundledProgram, projectFolder, readState, sourceStates } from './run-program.ts'

/** Addresses of files to read and of threads to run. */
const address = /new URL\(('[^']+'|`[^`]+`), import\.meta\.url\)/g

const packages = /^[^.#/]/
/** Native code, files of packages that are read as such or run as threads, and what starts without. */
const unbundled = /^(node:|@duckdb.node-bindings|sharp|jsdom|pino$|piscina|swagger-ui-dist|nodemailer)/

/**
 * Bundles the program into `folder/cli.js` and files beside it. Returns its files, and the state of
 * each file that it was made from.
 * @param files folder with what the program reads besides code, in the places of the checkout
 * @param external modules that stay outside
 */
export async function bundleProgram(folder: string, files: string, external = packages) {
  const states: Record<string, string | undefined> = {}
  const toFiles = path.relative(folder, files)
  const sources: Plugin = {
    name: 'sources',
    load: (id) => {
      // Before it is read, so that an edit during the build shows.
      states[path.relative(projectFolder, id)] = readState(path.relative(projectFolder, id))
    },
    transform(code, id) {
      const folderOf = path.join('/', path.relative(projectFolder, id), '..')
      const place = path.join(toFiles, folderOf)
      return code
        .replaceAll(address, (_, literal: string) => {
          const name = literal.slice(1, -1)
          if (!name.endsWith('.ts')) return `new URL(${literal}, new URL('${place}/', import.meta.url))`
          const fileName = path.join(folderOf, name).slice(1).replaceAll('/', '-').replace(/ts$/, 'js')
          this.emitFile({ type: 'chunk', id: path.join(id, '..', name), fileName })
          return `new URL('./${fileName}', import.meta.url)`
        })
        .replaceAll("import.meta.dirname, '../cli.ts'", "import.meta.dirname, 'cli.js'")
        .replaceAll(/import\.meta\.dirname(?!, 'cli\.js')/g, `(import.meta.dirname + '/${place}')`)
    },
  }
  const build = await rolldown({
    input: path.join(projectFolder, 'cli.ts'),
    cwd: projectFolder,
    platform: 'node',
    tsconfig: path.join(projectFolder, 'tsconfig.json'),
    external,
    plugins: [sources],
  })
  rmSync(folder, { recursive: true, force: true })
  const { output } = await build.write({
    dir: folder,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await build.close()
  return { chunks: output.filter((one) => one.type === 'chunk'), states }
}

/** Modules of the first start. */
const firstModules = ['cli/serve.ts', 'compute/update.ts', 'compute/scan/scan-worker.ts']

/**
 * For `npm start`, which runs it until a source changes. Holds the packages too: 800 files would
 * take half of the start. Loads it once, so that the first start finds it compiled.
 */
export async function bundleCheckout(): Promise<void> {
  const { chunks, states } = await bundleProgram(bundledProgram, projectFolder, unbundled)
  writeFileSync(sourceStates, JSON.stringify(states))
  const first = firstModules.map((module) => {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === path.join(projectFolder, module))
    if (!chunk) throw new Error(`the bundle has no file of ${module}`)
    return `await import(${JSON.stringify(path.join(bundledProgram, chunk.fileName))})`
  })
  execFileSync(process.execPath, ['--input-type=module', '--eval', first.join('\n')], {
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(projectFolder, '.cache', 'compile') },
  })
}
