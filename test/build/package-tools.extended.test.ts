import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { version } from '#base/version.ts'
import { packageTools } from '#build/package-tools.ts'
import { listedTools } from '#mcp/tools/all.ts'
import { failure, fakeApi } from '../mcp/support/fake-api.ts'
import { temporaryFolder } from '../support/program.ts'

const folder = temporaryFolder('tools')
const made = path.join(folder, 'made')
const installed = path.join(folder, 'node_modules/coinstrata-mcp')
const program = path.join(installed, 'index.js')
const repository = 'example/coinstrata'
const bundle = `coinstrata-mcp-${version}.mcpb`

beforeAll(async () => {
  await packageTools(made, { repository })
  // Installs as npm would: the package has no dependencies.
  const pack = ['pack', '--json', '--pack-destination', folder]
  const packed = execFileSync('npm', pack, { cwd: path.join(made, 'coinstrata-mcp'), encoding: 'utf8' })
  const [{ filename }] = z.tuple([z.object({ filename: z.string() })]).parse(JSON.parse(packed))
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', path.join(folder, filename), '-C', installed, '--strip-components=1'])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const parsed = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const packageSchema = z.object({ mcpName: z.string(), version: z.string(), dependencies: z.undefined().optional() })

/** Runs the package as an assistant does and returns its answers. */
async function connected<T>(
  env: Record<string, string>,
  ask: (client: Client, stderr: () => string) => Promise<T>,
): Promise<T> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: 'pipe' })
  let said = ''
  transport.stderr?.on('data', (chunk) => (said += chunk))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  try {
    return await ask(client, () => said)
  } finally {
    await client.close()
  }
}

describe('coinstrata-mcp', () => {
  test('is a small program that takes half a second of processor time more to start than Node.js', () => {
    const bytes = globSync('**/*', { cwd: installed }).map((name) => statSync(path.join(installed, name)).size)
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(1_200_000)
    // Processor time, because other work delays programs, and the least of several runs, because it
    // also slows processors.
    const report = `process.on('exit', () => {
      const { user, system } = process.cpuUsage()
      process.stderr.write(String((user + system) / 1_000))
    })`
    const leastMs = (...args: string[]): number =>
      Math.min(
        ...Array.from({ length: 3 }, () => {
          const given = ['--import', `data:text/javascript,${encodeURIComponent(report)}`, ...args]
          const { status, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8' })
          expect([status, stderr]).toEqual([0, expect.stringMatching(/^[\d.]+$/)])
          return Number(stderr)
        }),
      )
    expect(leastMs(program, '--version') - leastMs('--eval', '0')).toBeLessThan(500)
    expect(execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`)
  })

  test('has the tools of the service, and asks an instance with the key', async () => {
    const keys: (string | undefined)[] = []
    const api = await fakeApi((request, response) => {
      keys.push(request.headers.authorization)
      response.writeHead(401).end(failure('invalid_api_key', 'no such key'))
    })
    try {
      const ask = (key: string) =>
        connected({ COINSTRATA_URL: api.url, COINSTRATA_API_KEY: key }, async (client) => {
          expect(client.getServerVersion()).toMatchObject({ name: 'coinstrata', version })
          expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(listedTools.map(({ name }) => name))
          const { isError, content } = await client.callTool({ name: 'get_status', arguments: {} })
          expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('no such key')])
        })
      await ask('cs_1')
      // A desktop assistant passes placeholders for settings without a value.
      await ask('${' + 'user_config.api_key}')
      expect(keys).toEqual(['Bearer cs_1', undefined])
    } finally {
      await api.close()
    }
  })

  test('says what is wrong with its settings, and nothing on standard output', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
      env: { COINSTRATA_URL: 'nowhere' },
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /COINSTRATA_URL is not an address .*\[invalid_configuration\]\nWhat to do: set COINSTRATA_URL/,
    )
  })

  test('says in one line that Node is too old', () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
    const preload = `data:text/javascript,${encodeURIComponent(older)}`
    const run = spawnSync(process.execPath, ['--import', preload, program], { encoding: 'utf8', input: '' })
    expect([run.status, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toBe('coinstrata-mcp needs Node.js 22 or newer, but this is 20.20.2: install a newer Node.js\n')
  })

  test('is described to the registry as it is', () => {
    // The schema of 2025-12-11 that github.com/modelcontextprotocol/registry publishes, reduced to
    // the fields that we use.
    const variable = z.strictObject({
      name: z.string(),
      description: z.string(),
      isRequired: z.boolean(),
      isSecret: z.boolean(),
      default: z.string().optional(),
    })
    const common = {
      transport: z.strictObject({ type: z.literal('stdio') }),
      environmentVariables: z.array(variable).length(2),
    }
    const npm = { registryType: z.literal('npm'), identifier: z.string(), version: z.string() }
    const mcpb = {
      registryType: z.literal('mcpb'),
      identifier: z.url(),
      fileSha256: z.string().regex(/^[0-9a-f]{64}$/),
    }
    const server = z
      .strictObject({
        $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
        name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
        title: z.string().max(100),
        description: z.string().max(100),
        version: z.string(),
        repository: z.strictObject({ url: z.url(), source: z.literal('github') }),
        remotes: z.tuple([
          z.strictObject({
            type: z.literal('streamable-http'),
            url: z.literal('https://{host}/mcp'),
            variables: z.strictObject({
              host: z.strictObject({ description: z.string(), isRequired: z.literal(true) }),
            }),
            headers: z.tuple([variable.omit({ default: true })]),
          }),
        ]),
        packages: z.tuple([
          z.strictObject({ ...npm, runtimeHint: z.literal('npx'), ...common }),
          z.strictObject({ ...mcpb, ...common }),
        ]),
      })
      .parse(parsed(path.join(made, 'server.json')))
    const ours = packageSchema.parse(parsed(path.join(installed, 'package.json')))
    expect([server.name, server.version]).toEqual([ours.mcpName, version])
    const [byNpm, byBundle] = server.packages
    expect([byNpm.identifier, byNpm.version]).toEqual(['coinstrata-mcp', ours.version])
    expect(byBundle.identifier).toBe(`https://github.com/${repository}/releases/download/v${version}/${bundle}`)
    const bytes = readFileSync(path.join(made, bundle))
    expect(byBundle.fileSha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  test('is a bundle for desktop assistants, with the same program and settings to fill in', () => {
    const files = unzip(readFileSync(path.join(made, bundle)))
    // The schema of manifests 0.3 that the package @anthropic-ai/mcpb publishes, reduced to the
    // fields that we use.
    const text = z.strictObject({
      type: z.literal('string'),
      title: z.string(),
      description: z.string(),
      required: z.boolean(),
      default: z.string(),
      sensitive: z.boolean(),
    })
    const config = z.strictObject({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    })
    const manifest = z
      .strictObject({
        manifest_version: z.literal('0.3'),
        name: z.string(),
        display_name: z.string(),
        version: z.literal(version),
        description: z.string(),
        author: z.strictObject({ name: z.string() }),
        license: z.literal('MIT'),
        repository: z.strictObject({ type: z.literal('git'), url: z.url() }),
        keywords: z.array(z.string()),
        server: z.strictObject({ type: z.literal('node'), entry_point: z.string(), mcp_config: config }),
        tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
        prompts_generated: z.boolean(),
        compatibility: z.strictObject({
          platforms: z.array(z.enum(['darwin', 'win32', 'linux'])),
          runtimes: z.strictObject({ node: z.string() }),
        }),
        user_config: z.record(z.string(), text),
      })
      .parse(JSON.parse(String(files.get('manifest.json'))))
    const { entry_point: entry, mcp_config: run } = manifest.server
    expect(files.get(entry)).toEqual(readFileSync(program))
    expect(files.get('program.js')).toEqual(readFileSync(path.join(installed, 'program.js')))
    expect(run.args).toEqual([`\${__dirname}/${entry}`])
    const asked = Object.keys(manifest.user_config).map((id) => `\${user_config.${id}}`)
    expect(run.env).toEqual({ COINSTRATA_URL: asked[0], COINSTRATA_API_KEY: asked[1] })
    expect(manifest.user_config.api_key?.sensitive).toBe(true)
  })

  test('names the licences of all that is part of it', () => {
    const licences = readFileSync(path.join(installed, 'THIRD-PARTY.txt'), 'utf8')
    for (const name of ['zod', '@modelcontextprotocol/server', 'lru-cache']) expect(licences).toContain(`\n${name} `)
  })
})

/** Reads and checks the files of an archive by its local headers. */
function unzip(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (let at = 0; archive.readUInt32LE(at) === 0x04034b50; ) {
    const [packed, size] = [archive.readUInt32LE(at + 18), archive.readUInt32LE(at + 22)]
    const begin = at + 30 + archive.readUInt16LE(at + 26)
    const content = inflateRawSync(archive.subarray(begin, begin + packed))
    expect([content.length, crc32(content)]).toEqual([size, archive.readUInt32LE(at + 14)])
    files.set(archive.toString('utf8', at + 30, begin), content)
    at = begin + packed
  }
  return files
}
