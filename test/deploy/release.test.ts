import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { version } from '#base/version.ts'

const root = path.join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-release-'))
afterAll(() => rmSync(folder, { recursive: true }))

const read = (...names: readonly string[]): string => readFileSync(path.join(root, ...names), 'utf8')
const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, '.ci', program), ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('a release', () => {
  const file = path.join(folder, 'CHANGELOG.md')
  const notesOf = (tag: string, heading: string) => {
    writeFileSync(
      file,
      `# Changelog\n\n## 99.0.0 (not released yet)\n\n- new\n\n${heading}\n\n- one\n- two\n\n## 0.0.1 (2020-01-01)\n\n- old\n`,
    )
    return run('release-notes.ts', [tag], { CHANGELOG: file })
  }

  it('has the notes of its section, once that has a date', () => {
    expect(notesOf(`v${version}`, `## ${version} (2026-01-31)`)).toEqual({
      status: 0,
      stdout: '- one\n- two\n',
      stderr: '',
    })
    expect(notesOf(`v${version}`, `## ${version} (not released yet)`)).toMatchObject({ status: 1, stdout: '' })
    expect(notesOf(`v${version}`, '## 0.0.2 (2026-01-31)').stderr).toContain('has no section')
    expect(notesOf('v98.0.0', `## ${version} (2026-01-31)`).stderr).toContain(`package.json has version ${version}`)
  })

  it('is published by its workflow alone', () => {
    expect(run('only-released.ts', [], {})).toMatchObject({ status: 1, stderr: expect.stringContaining('by its tag') })
    expect(run('only-released.ts', [], { GITHUB_ACTIONS: 'true' }).status).toBe(0)
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')))
    expect(scripts.prepublishOnly).toBe('node .ci/only-released.ts')
    const step = z.object({ run: z.string().optional(), uses: z.string().optional() })
    const job = z.object({
      needs: z.union([z.string(), z.array(z.string())]).optional(),
      permissions: z.record(z.string(), z.string()),
      steps: z.array(step),
    })
    const workflow = z
      .object({ on: z.object({ push: z.object({ tags: z.array(z.string()) }) }), permissions: z.object({}).strict() })
      .extend({ jobs: z.record(z.string(), job) })
      .parse(parse(read('.github', 'workflows', 'release.yml')))
    const { test, npm, image, release } = workflow.jobs
    expect([test?.permissions, npm?.needs, image?.needs, release?.needs]).toEqual([
      { contents: 'read' },
      'test',
      'test',
      ['npm', 'image'],
    ])
    const published = npm?.steps.flatMap((one) => (one.run?.startsWith('npm publish') ? one.run : [])) ?? []
    expect(published).toHaveLength(3)
    for (const line of published) expect(line).toContain('--provenance --access public')
    for (const [name, { steps }] of Object.entries(workflow.jobs)) {
      const needsPackages = steps.findIndex(({ run = '' }) => /^(node \.ci|npm (run|sbom|publish))/.test(run))
      const prepared = steps.slice(0, needsPackages).flatMap((one) => one.run ?? one.uses?.split('@') ?? [])
      if (needsPackages >= 0)
        expect(prepared, `${name} has Node and packages first`).toEqual(
          expect.arrayContaining(['actions/setup-node', 'npm ci']),
        )
    }
    const scriptsRun = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap((one) => one.run ?? []))
    for (const [, name = ''] of scriptsRun.join('\n').matchAll(/npm run ([\w:]+)/g))
      expect(scripts).toHaveProperty(name)
  })

  it.each([
    ['clients/typescript/package.json', '"version": "(.*)"'],
    ['clients/typescript/README.md', 'coinstrata-client-(.*)\\.tgz'],
    ['clients/claude-code/.claude-plugin/plugin.json', '"version": "(.*)"'],
    ['deploy/umbrel/coinstrata/umbrel-app.yml', 'version: "(.*)"'],
    ['deploy/umbrel/coinstrata/docker-compose.yml', 'coinstrata:(.*)@'],
    ['deploy/start9/startos/versions/index.ts', "version: '(.*):0'"],
    ['docs/assistants.md', 'coinstrata-mcp-(.*)\\.mcpb'],
    ['docs/node.md', 'coinstrata:(.*) --push'],
  ])('has its version in %s', (file, place) => {
    expect(new RegExp(place).exec(read(file))?.[1]).toBe(version)
  })
})
