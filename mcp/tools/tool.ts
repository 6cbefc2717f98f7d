import type {
  ContentBlock,
  Tool as ListedTool,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Meta } from '#contract/envelope.ts'
import { briefInput } from '../answers/brief-schema.ts'
import { dataNotes, withNotes } from '../answers/notes.ts'
import { readArguments } from '../answers/read-arguments.ts'
import type { Call, Connection } from '../client/call.ts'
import { ToolError } from '../client/tool-error.ts'

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** Advice that only its resource has. */
  readonly more?: string
  /** Replaces descriptions too long to be listed. */
  readonly listedDescriptions?: Readonly<Record<string, string>>
  readonly isWriting?: boolean
  readonly run: (input: z.output<Input>, call: Call) => Promise<z.output<Output> | AnswerWithBlocks<z.output<Output>>>
}

/** Blocks, such as images, before and after its text. */
export class AnswerWithBlocks<Answer> {
  constructor(answer: Answer, before: readonly ContentBlock[], after: readonly ContentBlock[] = []) {
    this.answer = answer
    this.before = before
    this.after = after
  }

  readonly answer: Answer
  readonly before: readonly ContentBlock[]
  readonly after: readonly ContentBlock[]
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly listed: ListedTool
  readonly manual: () => object
  readonly register: (server: McpServer, connection: Connection) => void
}

const readingHints = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
const writingHints = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, input, output, more, listedDescriptions, isWriting, run } = definition
  const annotations = isWriting ? writingHints : readingHints
  const inputSchema = briefInput(input, listedDescriptions)
  const schema = describedAs(z.unknown(), inputSchema)
  const notedOutput = z.object({ ...output.shape, ...notesSchema.shape })
  const handle = async (given: unknown, connection: Connection, context: ServerContext) => {
    const { signal } = context.mcpReq
    const metas: Meta[] = []
    const dateNotes: string[] = []
    try {
      const { error, data } = readArguments(input, dateNotes).safeParse(given)
      if (error) return failure(describeIssues(error))
      const progress: Call['progress'] = (seconds, message) => notifyProgress(context, seconds, message)
      const noteMeta = (meta: Meta) => void metas.push(meta)
      const result = await run(input.parse(data), { ...connection, signal, progress, noteMeta })
      const { answer, before, after } = result instanceof AnswerWithBlocks ? result : new AnswerWithBlocks(result, [])
      const { notes = [] } = notesSchema.parse(answer)
      const allNotes = withNotes([...new Set([...dateNotes, ...notes, ...dataNotes(metas, Date.now())])])
      const complete = { ...allNotes, ...answer, ...allNotes }
      return {
        content: [...before, { type: 'text' as const, text: JSON.stringify(complete) }, ...after],
        structuredContent: notedOutput.parse(complete),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ToolError) return failure(error.message)
      connection.log.error({ err: error, tool: name }, 'tool failed')
      return failure('the tool server failed because of a defect; try another tool')
    }
  }
  return {
    name,
    description,
    // Assistants read answers themselves, so no output schema is listed.
    listed: { name, title, description, inputSchema, outputSchema: { type: 'object' }, annotations },
    manual: () => ({
      name,
      title,
      description,
      more,
      inputSchema: z.toJSONSchema(input, { io: 'input' }),
      outputSchema: z.toJSONSchema(notedOutput),
    }),
    register: (server, connection) => {
      server.registerTool(name, { title, description, inputSchema: schema, annotations }, (given: unknown, context) =>
        handle(given, connection, context),
      )
    },
  }
}

/** A JSON Schema made once: zod takes longer for it than the rest of a call. */
function describedAs(schema: z.ZodType, json: Record<string, unknown>): StandardSchemaWithJSON {
  const { jsonSchema: _, ...standard } = schema['~standard']
  return { '~standard': { ...standard, jsonSchema: { input: () => json, output: () => json } } }
}

const describeIssues = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ')

const notesSchema = z.object({ notes: z.array(z.string()).optional() })
const failure = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] })

async function notifyProgress({ mcpReq }: ServerContext, progress: number, message: string): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
}
