import { Transform } from 'node:stream'
import { isJSONRPCRequest, ProtocolErrorCode } from '@modelcontextprotocol/server'

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const dropNulls = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))

/** A message, or a batch of them, without null for absent params, cursors and arguments. */
export function tidyMessages(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(tidyMessages)
  if (!isObject(body) || !('method' in body) || !('params' in body)) return body
  const { params, ...rest } = body
  if (params === null) return rest
  return { ...rest, params: isObject(params) ? dropNulls(params) : params }
}

/**
 * Lines of standard input, tidied. Requests that the protocol server would drop are answered by
 * `refuse`, since clients wait for an answer to each.
 */
export function tidyLines(refuse: (line: string) => void): Transform {
  let begun = ''
  const decoder = new TextDecoder()
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n')
      begun = lines.pop() ?? ''
      for (const line of lines) this.push(tidyLine(line, refuse))
      done()
    },
  })
}

function tidyLine(line: string, refuse: (line: string) => void): string {
  try {
    const message = tidyMessages(JSON.parse(line))
    if (isObject(message) && 'method' in message && 'id' in message && !isJSONRPCRequest(message)) {
      const error = { code: ProtocolErrorCode.InvalidRequest, message: 'the message is no JSON-RPC 2.0 request' }
      refuse(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, error })}\n`)
      return ''
    }
    return `${JSON.stringify(message)}\n`
  } catch {
    return `${line}\n`
  }
}

/** Accepts what the protocol server answers. */
export const bothTypes = 'application/json, text/event-stream'

/** The answer in an event stream as JSON, for clients that do not accept streams. */
export async function readStreamAsJson(response: Response): Promise<Response> {
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response
  const messages = (await response.text())
    .split('\n')
    .flatMap((line): unknown[] => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))
    .filter((message) => isObject(message) && !('method' in message))
  const headers = { 'Content-Type': 'application/json' }
  return new Response(JSON.stringify(messages.length === 1 ? messages[0] : messages), { headers })
}
