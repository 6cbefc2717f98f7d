import {
  type ContentBlock,
  completable,
  fromJsonSchema,
  inputRequired,
  type McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Call, Connection } from '#mcp/client/call.ts'
import { ToolError } from '#mcp/client/tool-error.ts'
import { listedTools } from '#mcp/tools/all.ts'
import { AnswerWithBlocks, defineTool } from '#mcp/tools/tool.ts'

/** One transparent pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** A header without samples. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const embedded = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'Embedded.' },
})

const fixtureTool = (
  name: string,
  before: readonly ContentBlock[],
  work: (call: Call) => Promise<void> = async () => {},
  input = z.object({}),
) =>
  defineTool({
    name,
    title: name,
    description: `What the suite wants of ${name}.`,
    input,
    output: z.object({ text: z.string() }),
    run: async (_, call) => {
      await work(call)
      return new AnswerWithBlocks({ text: 'This is a simple text response for testing.' }, before)
    },
  })

const tools = [
  fixtureTool('test_simple_text', []),
  fixtureTool('test_logging_tool', []),
  fixtureTool('test_image_content', [image]),
  fixtureTool('test_audio_content', [{ type: 'audio', data: wav, mimeType: 'audio/wav' }]),
  fixtureTool('test_embedded_resource', [embedded('test://embedded-resource')]),
  fixtureTool('test_multiple_content_types', [image, embedded('test://mixed-content-resource')]),
  fixtureTool('test_error_handling', [], () => Promise.reject(new ToolError('this tool always fails', undefined))),
  fixtureTool('test_tool_with_progress', [], async ({ progress }) => {
    for (const step of [0, 50, 100]) await progress(step, `at ${step}`)
  }),
  fixtureTool(
    'test_custom_header',
    [],
    undefined,
    z.object({ region: z.string().optional().meta({ 'x-mcp-header': 'Region' }) }),
  ),
]

/** Has keywords that zod never writes. */
const schemaWithKeywords = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { city: { type: 'string' } } } },
  properties: { address: { $ref: '#/$defs/address' }, phone: { type: 'string' }, email: { type: 'string' } },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { required: ['phone'] },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const

/** Adds the tools, resources and prompts that the conformance suite expects of every server. */
export function addConformanceFixtures(server: McpServer, connection: Connection): void {
  for (const tool of tools) tool.register(server, connection)
  const raw = addRawTools(server)
  server.server.setRequestHandler('tools/list', () => ({
    tools: [...listedTools, ...tools.map(({ listed }) => listed), ...raw],
  }))
  addResources(server)
  addPrompts(server)
}

/** Returns their entries for the list of tools. */
function addRawTools(server: McpServer) {
  const many = { name: 'json_schema_2020_12_tool', description: 'Has an input schema of many keywords.' }
  server.registerTool(many.name, { ...many, inputSchema: fromJsonSchema(schemaWithKeywords) }, () => ({ content: [] }))
  const asking = { name: 'test_streaming_elicitation', description: 'Asks back.' }
  server.registerTool(asking.name, asking, () =>
    inputRequired({
      inputRequests: {
        name: inputRequired.elicit({ message: 'Who?', requestedSchema: z.object({ name: z.string() }) }),
      },
    }),
  )
  return [
    { ...many, inputSchema: schemaWithKeywords },
    { ...asking, inputSchema: { type: 'object' as const } },
  ]
}

function addResources(server: McpServer): void {
  const text = 'This is the content of the static text resource.'
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text }],
  }))
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id }) }],
  }))
}

function addPrompts(server: McpServer): void {
  const ask = (...contents: ContentBlock[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  })
  const text = (words: string) => ({ type: 'text' as const, text: words })
  server.registerPrompt('test_simple_prompt', { description: 'Simple.' }, () =>
    ask(text('This is a simple prompt for testing.')),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Has arguments.',
      argsSchema: z.object({ arg1: completable(z.string(), () => ['test']), arg2: z.string() }),
    },
    ({ arg1, arg2 }) => ask(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Has a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ask(embedded(resourceUri), text('Please process the embedded resource above.')),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Has an image.' }, () =>
    ask(image, text('Please analyze the image above.')),
  )
}
