import { Agent, request } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { z } from 'zod'

export const requestText = { end: 'end' } as const
/** Enough to see what is wrong. */
const maxText = 2_000

const messageSchema = z.object({
  id: z.int(),
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
})
const agent = new Agent({ keepAlive: true })

parentPort?.on('message', (message: unknown) => {
  if (message === requestText.end) process.exit()
  const { id, method, url, headers, body } = messageSchema.parse(message)
  const sent = request(url, { method, headers, agent }, (response) => {
    const { statusCode: status = 0 } = response
    const answer = (text: string) =>
      parentPort?.postMessage({ id, status, text, cookie: response.headers['set-cookie']?.join() ?? '' })
    // Never ends.
    if (method === 'GET' && response.headers['content-type']?.startsWith('text/event-stream')) {
      response.resume()
      return answer('')
    }
    let text = ''
    response.on('data', (chunk: Buffer) => {
      if (text.length < maxText) text += chunk.toString('latin1', 0, maxText)
    })
    response.on('end', () => answer(text))
  })
  // A request without an answer fails instead of waiting.
  sent.setTimeout(60_000, () => sent.destroy(new Error('no answer')))
  sent.on('error', (error) => parentPort?.postMessage({ id, status: 0, text: String(error), cookie: '' }))
  sent.end(body)
})
