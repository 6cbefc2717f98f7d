import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'
import { buildPages } from '#test/support/built-pages.ts'
import { addressOf, startCoinstrata, temporaryFolder } from '#test/support/program.ts'

/*
 * What the Dockerfile says is done here without containers: its steps in a clean folder, with what .dockerignore leaves of the
 * checkout. Only packages are those of the checkout, and what a step does to the system around is left out.
 */
const root = path.join(import.meta.dirname, '..', '..')
const folder = temporaryFolder('image')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = readFileSync(path.join(root, 'Dockerfile'), 'utf8')
const instructions = file
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, instruction = '', words = ''] = /^(\w+) +(.*)$/.exec(line) ?? []
    return { instruction, words: words.replaceAll(/ {2,}/g, ' ') }
  })
const secondStage = instructions.findLastIndex(({ instruction }) => instruction === 'FROM')
const [building, running] = [instructions.slice(0, secondStage), instructions.slice(secondStage)]
const said = (instruction: string): string[] =>
  running.filter((one) => one.instruction === instruction).map(({ words }) => words)
const lists = (text: string): string[] => z.array(z.string()).parse(JSON.parse(text))

const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const isSent = (from: string): boolean =>
  !ignored.some((pattern) => path.matchesGlob(path.relative(root, from) || '/', pattern))

const app = path.join(folder, 'app')
/** But for what tests that run meanwhile keep beside the packages, which are linked. */
const listing = (): string[] =>
  readdirSync(app, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('node_modules/.'))
    .sort()
const packageJson = z
  .object({ devDependencies: z.record(z.string(), z.string()), dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))

/** Replaces npm: packages are linked instead of installed. */
let installs: string[]
beforeAll(async () => {
  const build = path.join(folder, 'build')
  const [bin, log] = [path.join(folder, 'bin'), path.join(folder, 'npm.log')]
  for (const one of [build, bin]) mkdirSync(one)
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim()
  const link = `ln -sfn "${root}/node_modules" node_modules`
  const script = `#!/bin/sh\nif [ "$1" = ci ]; then echo "$*" >>"${log}"; ${link}; else exec "${npm}" "$@"; fi\n`
  writeFileSync(path.join(bin, 'npm'), script, { mode: 0o755 })
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, TARGETARCH: 'arm64' }
  for (const { instruction, words } of building) {
    if (instruction === 'COPY') {
      const [to = '', ...froms] = words.split(' ').toReversed()
      for (const from of froms)
        cpSync(path.join(root, from), path.join(build, to, from), { recursive: true, filter: isSent })
      if (froms.includes('.')) {
        // Pages of the same sources are not built again; the step would, if any of them were not
        // sent.
        await buildPages()
        cpSync(path.join(root, 'web/built'), path.join(build, 'web/built'), { recursive: true })
      }
    }
    if (instruction !== 'RUN') continue
    const { status, stderr } = spawnSync('sh', ['-c', words], { cwd: build, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${words}: ${stderr}`)
  }
  mkdirSync(app)
  for (const words of said('COPY')) {
    const [to = '', ...froms] = words.replace('--from=build ', '').split(' ').toReversed()
    for (const from of froms) {
      const source = path.join(folder, path.resolve('/', from))
      if (to === 'node_modules') symlinkSync(path.join(root, 'node_modules'), path.join(app, to))
      else cpSync(source, path.join(app, to === './' ? path.basename(from) : to), { recursive: true })
    }
  }
  installs = readFileSync(log, 'utf8').trim().split('\n')
})

describe('the image', () => {
  it('has the Node of the tests, and a user without rights', () => {
    expect(file).toContain(`ARG NODE=node:${packageJson.devDependencies.node}-slim\n`)
    expect(said('USER')).toEqual(['1000:1000'])
  })

  it('gets packages for its processor, and runs no scripts of theirs', () => {
    expect(installs).toHaveLength(2)
    for (const install of installs) expect(install).toContain('--ignore-scripts')
    expect(installs[1]).toMatch(/--omit=dev .*--os=linux --libc=glibc --cpu=arm64$/)
  })

  it('needs no package that is only for development', () => {
    const code = globSync('dist/**/*.js', { cwd: app }).map((name) => readFileSync(path.join(app, name), 'utf8'))
    const names = code.flatMap((text) => [...text.matchAll(/^(?:import|export) [^;]*?from ["']([^.#"'][^"']*)["']/gm)])
    const packages = names.map(([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
    const others = packages.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    expect(others.length).toBeGreaterThan(50)
    expect(Object.keys(packageJson.dependencies)).toEqual(expect.arrayContaining([...new Set(others)]))
  })

  it('serves, answers its health check, and writes nothing beside its data', async () => {
    const dataDir = path.join(folder, 'data')
    mkdirSync(dataDir)
    await publishSmallGeneration(dataDir)
    const environment = Object.fromEntries(
      said('ENV').flatMap((words) =>
        [...words.matchAll(/([^ =]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
      ),
    )
    const before = listing()
    expect(said('RUN').join()).toContain('ln -s /app/dist/cli.js /usr/local/bin/coinstrata')
    expect([...said('ENTRYPOINT'), ...said('CMD')].map(lists)).toEqual([['coinstrata'], ['start']])
    const file = path.join(app, 'dist/cli.js')
    expect(statSync(file).mode & 0o111).toBe(0o111)
    const here = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, HOME: folder, LOG_FORMAT: 'json' }
    const program = startCoinstrata(['serve'], { program: file, environment: { ...environment, ...here } })
    const { port } = new URL(await addressOf(program))
    const [, command = ''] = said('HEALTHCHECK').join().split(' CMD ')
    const [node = '', ...check] = lists(command)
    expect(node).toBe('node')
    const isWell = () => spawnSync(process.execPath, check, { env: { PORT: port } }).status
    expect(isWell()).toBe(0)
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain('<title>')
    program.process.kill()
    await program.outcome
    expect(isWell()).toBe(1)
    expect(listing()).toEqual(before)
  })
})
