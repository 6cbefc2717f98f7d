import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttpClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { z } from 'zod'
import { compileCache } from '#test/support/program.ts'

/** How a test reaches the tools. */
export interface Transport {
  readonly name: string
  readonly connect: (
    service: { url: string; toolUrl: string },
    key?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Assistant>
}

const answerSchema = z.object({
  isError: z.boolean().optional(),
  content: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
      z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string(), mimeType: z.string() }),
    ]),
  ),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
})

export type ToolAnswer = z.infer<typeof answerSchema>

const listedTool = z.looseObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.any()),
  outputSchema: z.record(z.string(), z.any()),
  annotations: z.looseObject({ readOnlyHint: z.boolean() }),
})

/** Wraps either client. Both check structured answers against the schema of the tool. */
export class Assistant {
  readonly #client: Client | OldClient

  constructor(client: Client | OldClient) {
    this.#client = client
  }

  async tools() {
    const { tools } = await this.#client.listTools()
    return z.array(listedTool).parse(tools)
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
    return answerSchema.parse(await this.#client.callTool({ name, arguments: given }))
  }

  /** Returns the structured part of an answer that must succeed. */
  async ask(name: string, given: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { isError, content, structuredContent } = await this.call(name, given)
    if (isError || !structuredContent) throw new Error(`${name}: ${JSON.stringify(content)}`)
    return structuredContent
  }

  /** Returns the text of an answer that must fail. */
  async fail(name: string, given: Record<string, unknown> = {}): Promise<string> {
    const { isError, content } = await this.call(name, given)
    const [block] = content
    if (!isError || block?.type !== 'text') throw new Error(`${name} did not fail`)
    return block.text
  }

  async resource(uri: string): Promise<string> {
    const { contents } = await this.#client.readResource({ uri })
    return z.array(z.object({ text: z.string() })).parse(contents)[0]!.text
  }

  async resourceNames(): Promise<string[]> {
    const { resources } = await this.#client.listResources()
    const { resourceTemplates } = await this.#client.listResourceTemplates()
    return [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)]
  }

  async prompts(): Promise<string[]> {
    return (await this.#client.listPrompts()).prompts.map(({ name }) => name)
  }

  async prompt(name: string, given: Record<string, string> = {}): Promise<string> {
    const { messages } = await this.#client.getPrompt({ name, arguments: given })
    return z.array(z.object({ content: z.object({ text: z.string() }) })).parse(messages)[0]!.content.text
  }

  async complete(uri: string, name: string, value: string): Promise<string[]> {
    const request = { ref: { type: 'ref/resource' as const, uri }, argument: { name, value } }
    return (await this.#client.complete(request)).completion.values
  }

  async completePrompt(prompt: string, name: string, value: string): Promise<string[]> {
    const request = { ref: { type: 'ref/prompt' as const, name: prompt }, argument: { name, value } }
    return (await this.#client.complete(request)).completion.values
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

const identity = { name: 'coinstrata-test', version: '1.0.0' }
const entry = fileURLToPath(new URL('stdio-entry.ts', import.meta.url))
/** The current client uses the newest revision of the protocol that the server supports. */
const newest = { versionNegotiation: { mode: 'auto' as const } }
const authorize = (key?: string, headers: Readonly<Record<string, string>> = {}) => ({
  requestInit: { headers: { ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) } },
})

const stdioProcess = (url: string, key?: string) => ({
  command: process.execPath,
  args: [entry],
  env: { NODE_COMPILE_CACHE: compileCache, COINSTRATA_URL: url, ...(key !== undefined && { COINSTRATA_API_KEY: key }) },
})

export const http: Transport = {
  name: 'today’s client over HTTP',
  connect: async ({ toolUrl }, key, headers) => {
    const client = new Client(identity, newest)
    await client.connect(new StreamableHTTPClientTransport(new URL(toolUrl), authorize(key, headers)))
    return new Assistant(client)
  },
}

export const transports: readonly Transport[] = [
  http,
  {
    name: 'the older client over HTTP',
    connect: async ({ toolUrl }, key) => {
      const client = new OldClient(identity)
      await client.connect(new OldHttpClientTransport(new URL(toolUrl), authorize(key)))
      return new Assistant(client)
    },
  },
  {
    name: 'today’s client over stdio',
    connect: async ({ url }, key) => {
      const client = new Client(identity, newest)
      await client.connect(new StdioClientTransport(stdioProcess(url, key)))
      return new Assistant(client)
    },
  },
  {
    name: 'the older client over stdio',
    connect: async ({ url }, key) => {
      const client = new OldClient(identity)
      await client.connect(new OldStdioClientTransport(stdioProcess(url, key)))
      return new Assistant(client)
    },
  },
]
