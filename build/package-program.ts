import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { createLauncher } from './launcher.ts'

/**
 * Writes dist/, the npm package's JavaScript, because Node strips no types below node_modules. Node
 * strips them here, so the package runs the same code as a checkout; tsc would reject imports with
 * #.
 */
const root = path.join(import.meta.dirname, '..')
const dist = path.join(root, 'dist')
const sources = [
  '*.ts',
  '{accounts,alerts,api,base,cli,clients,compute,contract,ingest,limits,mcp,query,render,sql,state,store}/**/*.ts',
]
const unshipped = [
  'vitest.config.ts',
  'clients/typescript/endpoints.ts',
  'render/fonts/*.ts',
  'mcp/transport/stdio-program.ts',
]
const assets = ['sql/statements', 'render/fonts', 'data/reference', 'web/built', 'CHANGELOG.md']
/** In imports and in URLs of worker files. */
const moduleName = /(['"])((?:\.{1,2}\/|#)[^'"\n]*)\.ts\1/g

rmSync(dist, { recursive: true, force: true })
for (const source of globSync(sources, { cwd: root, exclude: unshipped })) {
  const target = path.join(dist, source.replace(/\.ts$/, '.js'))
  const code = stripTypeScriptTypes(readFileSync(path.join(root, source), 'utf8'))
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, code.replaceAll(moduleName, '$1$2.js$1'))
}
const filter = (file: string): boolean => !file.endsWith('.ts')
for (const asset of assets) cpSync(path.join(root, asset), path.join(dist, asset), { recursive: true, filter })

const { name, version, imports, engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
renameSync(path.join(dist, 'cli.js'), path.join(dist, 'program.js'))
writeFileSync(
  path.join(dist, 'cli.js'),
  createLauncher({ name: 'coinstrata', engine: engines.node, program: './program.js' }),
)
const description = { name, version, private: true, type: 'module', imports }
writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(description, null, 2)}\n`)
