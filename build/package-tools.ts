import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type OutputChunk, rolldown } from 'rolldown'
import { version } from '#base/version.ts'
import { searchTexts } from '#web/build/search-texts.ts'
import { createLauncher } from './launcher.ts'
import { bundleManifest, engine, type Publisher, packageJson, packageName, serverJson } from './tools-manifests.ts'
import { zip } from './zip.ts'

const root = path.join(import.meta.dirname, '..')

/**
 * Writes the npm package `coinstrata-mcp/` without dependencies, an equal `.mcpb` bundle, and
 * `server.json` for the MCP registry.
 */
export async function packageTools(folder: string, publisher: Publisher): Promise<void> {
  const program = await bundleProgram()
  const json = (content: object): string => `${JSON.stringify(content, undefined, 2)}\n`
  const files = new Map([
    ['index.js', createLauncher({ name: packageName, engine, program: './program.js' })],
    ['program.js', program.code],
    ['LICENSE', readFileSync(path.join(root, 'LICENSE'), 'utf8')],
    ['THIRD-PARTY.txt', collectLicences(program)],
    ['README.md', readme],
    ['package.json', json(packageJson(publisher))],
  ])
  const manifest = ['manifest.json', json(bundleManifest(publisher))] as const
  const archive = zip(new Map([manifest, ...files].map(([name, text]) => [name, Buffer.from(text)])))
  const bundle = `${packageName}-${version}.mcpb`
  const sha256 = createHash('sha256').update(archive).digest('hex')

  rmSync(folder, { recursive: true, force: true })
  mkdirSync(path.join(folder, packageName), { recursive: true })
  for (const [name, text] of files) writeFileSync(path.join(folder, packageName, name), text)
  writeFileSync(path.join(folder, bundle), archive)
  writeFileSync(path.join(folder, 'server.json'), json(serverJson(publisher, { file: bundle, sha256 })))
}

async function bundleProgram(): Promise<OutputChunk> {
  const build = await rolldown({
    input: path.join(root, 'mcp/transport/stdio-program.ts'),
    cwd: root,
    platform: 'node',
    tsconfig: path.join(root, 'tsconfig.json'),
    plugins: [searchTexts],
  })
  const { output } = await build.generate({ format: 'es', minify: true, codeSplitting: false })
  await build.close()
  const [chunk, ...others] = output
  const missing = chunk.imports.filter((name) => !name.startsWith('node:'))
  if (others.length > 0 || missing.length > 0) throw new Error(`the tools are not one file: ${missing.join(', ')}`)
  return chunk
}

function collectLicences({ moduleIds }: OutputChunk): string {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version: of, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
      const text = file === undefined ? `Licence: ${license}` : readFileSync(path.join(folder, file), 'utf8').trim()
      return `${name} ${of}\n\n${text}\n`
    })
    .join('\n----\n\n')
}

const readme = `# coinstrata-mcp

Bitcoin on-chain analytics as tools for AI assistants (Model Context Protocol over standard input and output): any metric or formula, supply by age, valuation,
profit and loss, cycles, ETFs, futures, treasuries, and charts. It reads from a Coinstrata instance, your own or another, and needs Node.js 22 or newer.

\`\`\`json
{
  "mcpServers": {
    "coinstrata": {
      "command": "npx",
      "args": ["-y", "coinstrata-mcp"],
      "env": { "COINSTRATA_URL": "http://127.0.0.1:3000", "COINSTRATA_API_KEY": "KEY" }
    }
  }
}
\`\`\`

Without a key you get demo data: the last 60 days of basic metrics. If your assistant can connect to a URL, use \`/mcp\` of the instance instead; it needs no package.
`

if (import.meta.main) {
  const folder = path.join(root, 'dist-tools')
  await packageTools(folder, { repository: process.env.GITHUB_REPOSITORY })
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) console.log(path.relative(root, path.join(entry.parentPath, entry.name)))
}
