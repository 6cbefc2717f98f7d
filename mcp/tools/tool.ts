import type {
  ContentBlock,
  Tool as ListedTool,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { briefInput } from '../answers/brief-schema.ts'
import type { Call, Connection } from '../client/call.ts'
import { ToolError } from '../client/tool-error.ts'

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** What else there is to know of its use, which is not listed but stands in its resource. */
  readonly more?: string
  /** Of the parameters, where those of the schema are too long to be listed. */
  readonly listedDescriptions?: Readonly<Record<string, string>>
  /** It still answers, but is not listed: another tool has taken its place. */
  readonly isRetired?: boolean
  readonly run: (input: z.output<Input>, call: Call) => Promise<ToolAnswer<z.output<Output>>>
}

export interface ToolAnswer<Structured> {
  readonly structured: Structured
  /** Blocks that stand before the text, which is the structured answer as JSON. */
  readonly before?: readonly ContentBlock[]
  /** Blocks that stand after it. */
  readonly after?: readonly ContentBlock[]
}

/** A tool of any input and output. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** As assistants see it before they ask anything; undefined for one that is retired. */
  readonly listed: ListedTool | undefined
  /** All that there is to know of its use. */
  readonly manual: () => object
  readonly register: (server: McpServer, connection: Connection) => void
}

/** Every tool reads and changes nothing, and sees nothing but the published data. */
const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, input, output, more, listedDescriptions, isRetired = false, run } = definition
  const inputSchema = briefInput(input, listedDescriptions)
  const answer = async (given: unknown, connection: Connection, context: ServerContext) => {
    const { signal } = context.mcpReq
    try {
      const {
        structured,
        before = [],
        after = [],
      } = await run(input.parse(given), {
        ...connection,
        signal,
        progress: (seconds, message) => notifyProgress(context, seconds, message),
      })
      return {
        content: [...before, { type: 'text' as const, text: JSON.stringify(structured) }, ...after],
        structuredContent: output.parse(structured),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ToolError) return failure(error.message)
      connection.log.error({ err: error, tool: name }, 'tool failed')
      return failure('something went wrong in the tool server, which is a defect of it; try another tool')
    }
  }
  return {
    name,
    description,
    // Of answers an assistant reads what they hold.
    listed: isRetired
      ? undefined
      : { name, title, description, inputSchema, outputSchema: { type: 'object' }, annotations },
    manual: () => ({
      ...{ name, title, description, more },
      inputSchema: z.toJSONSchema(input, { io: 'input' }),
      outputSchema: z.toJSONSchema(output),
    }),
    register: (server, connection) => {
      const schema = describedAs(input, inputSchema)
      server.registerTool(name, { title, description, inputSchema: schema, annotations }, (given: unknown, context) =>
        answer(given, connection, context),
      )
    },
  }
}

/** A schema whose JSON Schema is made already, since making it takes far longer than all else of a call. */
function describedAs(schema: z.ZodObject, json: Record<string, unknown>): StandardSchemaWithJSON {
  const { jsonSchema: _, ...standard } = schema['~standard']
  return { '~standard': { ...standard, jsonSchema: { input: () => json, output: () => json } } }
}

const failure = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] })

async function notifyProgress({ mcpReq }: ServerContext, progress: number, message: string): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
}
