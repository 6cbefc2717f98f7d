import type { ContentBlock, McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { describedOnce } from '../answers/described-once.ts'
import type { Call, Connection } from '../client/call.ts'
import { ToolError } from '../client/tool-error.ts'

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly run: (input: z.output<Input>, call: Call) => Promise<ToolAnswer<z.output<Output>>>
}

export interface ToolAnswer<Structured> {
  readonly structured: Structured
  /** Blocks that stand before the text; the text is the structured answer as JSON. */
  readonly before?: readonly ContentBlock[]
}

/** A tool of any input and output. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly register: (server: McpServer, connection: Connection) => void
}

/** Every tool reads and changes nothing, and sees nothing but the published data. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, input, output, run } = definition
  const inputSchema = describedOnce(input)
  const outputSchema = describedOnce(output)
  const answer = async (given: unknown, connection: Connection, context: ServerContext) => {
    const { signal } = context.mcpReq
    try {
      const { structured, before = [] } = await run(input.parse(given), {
        ...connection,
        signal,
        progress: (seconds, message) => notifyProgress(context, seconds, message),
      })
      return {
        content: [...before, { type: 'text' as const, text: JSON.stringify(structured) }],
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
    register: (server, connection) => {
      server.registerTool(
        name,
        { title, description, inputSchema, outputSchema, annotations: { title, ...annotations } },
        (given: unknown, context) => answer(given, connection, context),
      )
    },
  }
}

const failure = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] })

async function notifyProgress({ mcpReq }: ServerContext, progress: number, message: string): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
}
