import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

  it('has a bill of materials, and files and an image that its workflow signs', () => {
    const text = read('.github', 'workflows', 'release.yml')
    expect(text).toContain('npm sbom --omit=dev --sbom-format=cyclonedx > coinstrata.cdx.json')
    expect(text).toMatch(/sha256sum .*> SHA256SUMS\n.*attest-build-provenance@[0-9a-f]{40} .*\n.*SHA256SUMS/)
    expect(text).toMatch(/attest-build-provenance@[0-9a-f]{40} .*\n.*\n.*ghcr.*\n.*steps\.push\.outputs\.digest/)
  })

  describe('has packages whose', () => {
    let answer: object | undefined
    // Asked for what is known of all packages, and then for the versions of those with something.
    const versions = { '0.0.1': { name: 'nodemailer', version: '0.0.1' } }
    const registry = createServer((request, response) => {
      response.statusCode = answer === undefined ? 405 : 200
      const body =
        request.method === 'GET' ? { name: 'nodemailer', versions, 'dist-tags': { latest: '0.0.1' } } : answer
      request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)))
    })
    beforeAll(() => new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve)))
    afterAll(() => registry.close())

    /** Checks a lockfile against a registry that answers `answer`. */
    const check = async (lockfile: string, advisories?: object) => {
      answer = advisories
      const address = registry.address()
      const port = typeof address === 'object' ? address?.port : 0
      const child = spawn(path.join(root, '.ci/check-packages'), {
        env: {
          ...process.env,
          LOCKFILE: lockfile,
          npm_config_registry: `http://127.0.0.1:${port}`,
          npm_config_fetch_retries: '0',
          npm_config_cache: path.join(folder, 'npm'),
        },
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
      const [status] = await once(child, 'close')
      return { status, output }
    }
    const lock = path.join(root, 'package-lock.json')
    const known = {
      nodemailer: [{ id: 1, url: 'https://x.example', title: 'x', severity: 'high', vulnerable_versions: '*' }],
    }

    it('licences are allowed, and vulnerabilities are known or said to be not checked', async () => {
      const [none, found, silent] = [await check(lock, {}), await check(lock, known), await check(lock)]
      expect(none).toMatchObject({ status: 0, output: expect.stringContaining('no package has a known vulnerability') })
      expect(found).toMatchObject({ status: 1, output: expect.stringContaining('have known vulnerabilities') })
      expect(silent).toMatchObject({ status: 2, output: expect.stringContaining('VULNERABILITIES ARE NOT CHECKED') })
      for (const { output } of [none, found, silent])
        expect(output).toMatch(/^the licences of \d+ packages are allowed/)
    }, 240_000)

    it('licences are refused if one is unknown or missing', async () => {
      const text = read('package-lock.json')
      const changed = async (from: string, to: string) => {
        const file = path.join(folder, 'package-lock.json')
        writeFileSync(file, text.replace(from, to))
        return check(file, {})
      }
      for (const licence of ['AGPL-3.0-only', '(MIT AND SSPL-1.0)', 'MITX'])
        expect(await changed('      "license": "MIT"', `      "license": "${licence}"`)).toMatchObject({ status: 1 })
      expect(await changed('      "license": "MIT",\n', '')).toMatchObject({
        status: 1,
        output: expect.stringContaining('has no licence'),
      })
    }, 240_000)
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
