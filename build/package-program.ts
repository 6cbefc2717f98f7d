import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createLauncher } from './launcher.ts'
import { bundleProgram } from './program-bundle.ts'

/** Writes dist/, the npm package's JavaScript, because Node strips no types below node_modules. */
const root = path.join(import.meta.dirname, '..')
const dist = path.join(root, 'dist')
const assets = ['sql/statements', 'render/fonts', 'data/reference', 'web/built', 'CHANGELOG.md']

rmSync(dist, { recursive: true, force: true })
await bundleProgram(path.join(dist, 'program'), dist)
const filter = (file: string): boolean => !file.endsWith('.ts')
for (const asset of assets) cpSync(path.join(root, asset), path.join(dist, asset), { recursive: true, filter })

const { name, version, engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
writeFileSync(
  path.join(dist, 'cli.js'),
  createLauncher({ name: 'coinstrata', engine: engines.node, program: './program/cli.js' }),
)
const description = { name, version, private: true, type: 'module' }
writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(description, null, 2)}\n`)
