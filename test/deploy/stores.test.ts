import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { version } from '#base/version.ts'
import { paths } from '#contract/paths.ts'
import { widgetSchema } from '#contract/widget.ts'
import { settingNames } from '#root/config.ts'
import { coinstrata } from '#test/support/program.ts'

const deploy = path.join(import.meta.dirname, '..', '..', 'deploy')
const read = (...names: readonly string[]): string => readFileSync(path.join(deploy, ...names), 'utf8')
const readYaml = (...names: readonly string[]): unknown => parse(read(...names))

/** Recomputed from the node by the next update; the rest of the data folder belongs in backups. */
const computed = [
  'lake',
  'published/2*',
  'raw/addresses',
  'raw/balances',
  'raw/checkpoints',
  'raw/headers',
  'raw/merged-hours',
  'raw/segments',
  'raw/simulated',
  'state/bootstrap',
  'state/dump',
  'state/follow',
  'state/pull',
  'state/reading',
  'state/renders',
  'state/tmp',
]

describe('the package for umbrelOS', () => {
  const app = path.join('umbrel', 'coinstrata')
  // AppManifestSchema of github.com/getumbrel/umbrel
  // (packages/umbreld/source/modules/apps/schema.ts), as strict as the rules for packages in
  // github.com/getumbrel/umbrel-apps (.claude/skills/umbrel-package-app), both of 2026.
  const manifest = z
    .strictObject({
      manifestVersion: z.literal(1),
      id: z.literal('coinstrata'),
      category: z.literal('bitcoin'),
      name: z.string(),
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      tagline: z.string().max(60),
      description: z.string(),
      releaseNotes: z.literal(''),
      developer: z.string(),
      website: z.url(),
      dependencies: z.tuple([z.literal('bitcoin')]),
      repo: z.url(),
      support: z.url(),
      port: z.int().min(1025).max(65_535),
      gallery: z.array(z.string()),
      path: z.literal(''),
      defaultUsername: z.literal(''),
      defaultPassword: z.literal(''),
      widgets: z.tuple([
        z.strictObject({
          id: z.string(),
          type: z.literal('four-stats'),
          refresh: z.string().regex(/^\d+[sm]$/),
          endpoint: z.string(),
          link: z.literal(''),
          example: widgetSchema.omit({ refresh: true }),
        }),
      ]),
      backupIgnore: z.array(z.string().regex(/^data\//)),
      submitter: z.string(),
      submission: z.url(),
    })
    .parse(readYaml(app, 'umbrel-app.yml'))
  const service = z.strictObject({
    image: z.string().regex(/^[\w./-]+:\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$/),
    user: z.literal('1000:1000'),
    init: z.literal(true),
    restart: z.literal('on-failure'),
    stop_grace_period: z.literal('1m'),
    read_only: z.literal(true),
    tmpfs: z.tuple([z.literal('/tmp')]),
    cap_drop: z.tuple([z.literal('ALL')]),
    security_opt: z.tuple([z.literal('no-new-privileges')]),
    volumes: z.array(z.string()),
    environment: z.record(z.string(), z.union([z.string(), z.int()])),
  })
  const proxy = z.strictObject({ environment: z.strictObject({ APP_HOST: z.string(), APP_PORT: z.int() }) })
  const { services } = z
    .strictObject({ version: z.literal('3.7'), services: z.strictObject({ app_proxy: proxy, server: service }) })
    .parse(readYaml(app, 'docker-compose.yml'))

  it('says what umbrelOS reads, and leads to what is served', () => {
    expect(services.app_proxy.environment).toEqual({ APP_HOST: `${manifest.id}_server_1`, APP_PORT: 3000 })
    expect(manifest.widgets[0].endpoint).toBe(`server:3000${paths.widget}`)
    expect([...settingNames]).toEqual(expect.arrayContaining(Object.keys(services.server.environment)))
  })

  it('reads the node and writes to its own folder, of which backups hold what cannot be computed', () => {
    const [data, node, dumps] = services.server.volumes
    expect(services.server.volumes).toHaveLength(3)
    const prefix = '${' + 'APP_DATA_DIR}/'
    expect(data).toBe(`${prefix}data/coinstrata:/data`)
    expect(readdirSync(path.join(deploy, app, 'data', 'coinstrata'))).toEqual(['.gitkeep'])
    expect(node).toBe('${' + 'APP_BITCOIN_DATA_DIR}:/bitcoin:ro')
    const shared = '${' + 'APP_BITCOIN_DATA_DIR}/coinstrata'
    // Its app mounts its own data at /data, and the node's at /data/bitcoin.
    expect(dumps).toBe(`${shared}:/data/bitcoin/coinstrata`)
    expect(services.server.environment.DUMP_FOLDER).toBe('/data/bitcoin/coinstrata')
    expect(manifest.backupIgnore).toEqual(computed.map((one) => `data/coinstrata/${one}`))
  })

  it('makes the folder for lists of coins before Docker would make it for root', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-umbrel-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    // Only root may give folders away.
    const bin = path.join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(path.join(bin, 'chown'), `#!/bin/sh\necho "$@" > '${folder}/owner'\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:${process.env.PATH}`, APP_BITCOIN_DATA_DIR: folder }
    for (let i = 0; i < 2; i++) execFileSync(path.join(deploy, app, 'hooks', 'pre-start'), { env })
    expect(statSync(path.join(folder, 'coinstrata')).isDirectory()).toBe(true)
    expect(readFileSync(path.join(folder, 'owner'), 'utf8')).toBe(`1000:1000 ${folder}/coinstrata\n`)
  })

  it('is of one version, not older than the program', () => {
    expect(services.server.image).toContain(`:${manifest.version}@`)
    expect(version.localeCompare(manifest.version, 'en', { numeric: true })).toBeLessThanOrEqual(0)
  })
})

it('packages tell of as many metrics as the changelog', () => {
  const [count = ''] = /[\d,]+ metrics/.exec(readFileSync(path.join(deploy, '..', 'CHANGELOG.md'), 'utf8')) ?? []
  expect(count).not.toBe('')
  expect(read('umbrel', 'coinstrata', 'umbrel-app.yml')).toContain(`over ${count}`)
  expect(read('start9', 'startos', 'manifest', 'index.ts')).toContain(`over ${count}`)
})

describe('the package for StartOS', () => {
  it('backs up the same, gives settings that there are, and only reads the node', () => {
    const [, excluded = ''] = /exclude: \[([^\]]*)\]/.exec(read('start9', 'startos', 'index.ts')) ?? []
    expect(excluded.match(/[\w/*-]+/g)).toEqual(computed.map((one) => `/${one}`))
    const program = read('start9', 'startos', 'program.ts')
    const settings = [...program.matchAll(/\b([A-Z][A-Z_]+):/g)].map(([, name = '']) => name)
    expect(settings.length).toBeGreaterThan(4)
    expect([...settingNames]).toEqual(expect.arrayContaining(settings))
    const mounts = [...program.matchAll(/dependencyId: 'bitcoind',.*?readonly: \w+/gs)].map(String)
    expect(mounts).toEqual([
      expect.stringMatching(/subpath: null,.*readonly: true/s),
      expect.stringMatching(/subpath: dumps,.*\$\{nodeFolder\}\/\$\{dumps\}.*readonly: false/s),
    ])
    expect(program).toContain('DUMP_FOLDER: `${' + 'nodeFolder}/${' + 'dumps}`')
  })

  it('has actions that run commands as they are', async () => {
    const actions = read('start9', 'startos', 'actions.ts')
    const commands = [...actions.matchAll(/begin\(effects, \[([^\]]*)\]/g)].map(([, text = '']) => text)
    expect(commands).toEqual(["'audit', '--coins'", "'bootstrap', '--trust', keyFile, '--', input.store.trim()"])
    for (const [name = '', option = ''] of commands.map((text) => text.match(/[a-z-]+/g) ?? [])) {
      const { stdout } = await coinstrata([name, '--help'])
      expect(stdout).toContain(option)
    }
  })
})
