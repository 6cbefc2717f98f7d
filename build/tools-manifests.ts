import { version } from '#base/version.ts'
import { listedTools } from '#mcp/tools/all.ts'

export const packageName = 'coinstrata-mcp'
/** The first with `Promise.withResolvers`, `Map.groupBy` and others. */
export const engine = '>=22'

const title = 'Coinstrata'
const description = 'Bitcoin on-chain analytics from your own node: metrics, cohorts, cycles, charts.'
const author = 'The Coinstrata developers'

/** Registries give package names to the owner of this repository. */
export interface Publisher {
  /** `owner/name` on GitHub; undefined if unpublished. */
  readonly repository: string | undefined
}

/** In the MCP registry, in the owner's namespace. */
const registryName = ({ repository }: Publisher): string =>
  repository === undefined
    ? `invalid.coinstrata/${packageName}`
    : `io.github.${repository.split('/')[0]}/${packageName}`

const repositoryUrl = ({ repository }: Publisher): string | undefined =>
  repository === undefined ? undefined : `https://github.com/${repository}`

/** Asked for at installation. */
const settings = [
  {
    name: 'COINSTRATA_URL',
    id: 'url',
    title: 'Address',
    description: 'Address of the Coinstrata instance, without /v1',
    defaultValue: 'http://127.0.0.1:3000',
    isSecret: false,
  },
  {
    name: 'COINSTRATA_API_KEY',
    id: 'api_key',
    title: 'API key',
    description: 'Key of that instance; without one you get demo data: 60 days of basic metrics',
    defaultValue: '',
    isSecret: true,
  },
] as const

export function packageJson(publisher: Publisher): object {
  const address = repositoryUrl(publisher)
  return {
    name: packageName,
    version,
    mcpName: registryName(publisher),
    description: `${description} Tools for AI assistants.`,
    license: 'MIT',
    author,
    ...(address && { repository: { type: 'git', url: `git+${address}.git` } }),
    keywords: ['mcp', 'bitcoin', 'on-chain', 'analytics'],
    type: 'module',
    bin: { [packageName]: 'index.js' },
    files: ['index.js', 'program.js', 'THIRD-PARTY.txt'],
    engines: { node: engine },
    publishConfig: { access: 'public', provenance: true },
  }
}

/** Names the bundle only if the repository is known. */
export function serverJson(publisher: Publisher, bundle: { readonly file: string; readonly sha256: string }): object {
  const address = repositoryUrl(publisher)
  const transport = { type: 'stdio' }
  const environmentVariables = settings.map(({ name, description: what, defaultValue, isSecret }) => ({
    name,
    description: what,
    isRequired: false,
    isSecret,
    ...(defaultValue && { default: defaultValue }),
  }))
  const identifier = `${address}/releases/download/v${version}/${bundle.file}`
  const mcpb = { registryType: 'mcpb', identifier, fileSha256: bundle.sha256, transport, environmentVariables }
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: registryName(publisher),
    title,
    description,
    version,
    ...(address && { repository: { url: address, source: 'github' } }),
    // Operators run their own instances.
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        variables: { host: { description: 'Host of the Coinstrata instance', isRequired: true } },
        headers: [
          {
            name: 'Authorization',
            description: 'Bearer and an API key of that instance; without it you get demo data',
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
    packages: [
      { registryType: 'npm', identifier: packageName, version, runtimeHint: 'npx', transport, environmentVariables },
      ...(address ? [mcpb] : []),
    ],
  }
}

export function bundleManifest(publisher: Publisher): object {
  const address = repositoryUrl(publisher)
  return {
    manifest_version: '0.3',
    name: packageName,
    display_name: title,
    version,
    description,
    author: { name: author },
    license: 'MIT',
    ...(address && { repository: { type: 'git', url: address } }),
    keywords: ['bitcoin', 'on-chain', 'analytics'],
    server: {
      type: 'node',
      entry_point: 'index.js',
      mcp_config: {
        command: 'node',
        args: ['${' + '__dirname}/index.js'],
        env: Object.fromEntries(settings.map(({ name, id }) => [name, `\${user_config.${id}}`])),
      },
    },
    tools: listedTools.map(({ name, description: what = '' }) => ({ name, description: what })),
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engine } },
    user_config: Object.fromEntries(
      settings.map(({ name: _, id, defaultValue, isSecret, ...texts }) => [
        id,
        { type: 'string', ...texts, required: false, default: defaultValue, sensitive: isSecret },
      ]),
    ),
  }
}
