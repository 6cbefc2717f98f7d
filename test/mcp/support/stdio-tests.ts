import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileCache, program } from '#test/support/program.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'

const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.number().optional() })

/** A running `coinstrata mcp`, with its input and output as lines. */
class Spoken {
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  readonly errors: Promise<string>
  readonly exit: Promise<unknown[]>

  constructor(baseUrl: string) {
    const child = spawn(process.execPath, [program, 'mcp'], {
      env: {
        PATH: process.env.PATH,
        HOME: '/nonexistent',
        NODE_COMPILE_CACHE: compileCache,
        COINSTRATA_URL: baseUrl,
        LOG_LEVEL: 'debug',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child = child
    this.errors = text(child.stderr)
    // All output has been read once the stream is closed.
    this.exit = once(child, 'close')
    createInterface({ input: child.stdout }).on('line', (line) => this.#lines.push(line))
  }

  say(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  endInput(): void {
    this.#child.stdin?.end()
  }

  /** All standard output, which must consist of protocol messages. */
  heard(): z.infer<typeof messageSchema>[] {
    return this.#lines.map((line) => messageSchema.parse(JSON.parse(line)))
  }

  answerTo(id: number): Promise<unknown> {
    return expect.poll(() => this.heard().find((message) => message.id === id), { timeout: 15_000 }).toBeDefined()
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

const clientInfo = { name: 'test', version: '1' }
/** Metadata of every message, by revision. */
const envelopes = {
  '2025-11-25': {},
  '2026-07-28': {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

let api: FakeApi
let spoken: Spoken

/** Starts the program and sends a client's first messages. */
async function open(revision: keyof typeof envelopes, baseUrl: string): Promise<Spoken> {
  const opened = new Spoken(baseUrl)
  if (revision === '2025-11-25') {
    opened.say({ id: 1, method: 'initialize', params: { protocolVersion: revision, capabilities: {}, clientInfo } })
    await opened.answerTo(1)
    opened.say({ method: 'notifications/initialized' })
  } else {
    opened.say({ id: 1, method: 'server/discover', params: envelopes[revision] })
    await opened.answerTo(1)
  }
  return opened
}

/** An API that never answers. It reports when a request has arrived and when it was aborted. */
async function silentApi(): Promise<{ requested: Promise<void>; brokenOff: Promise<void> }> {
  const requested = Promise.withResolvers<void>()
  const brokenOff = Promise.withResolvers<void>()
  api = await fakeApi((request) => {
    request.socket.once('close', brokenOff.resolve)
    requested.resolve()
  })
  return { requested: requested.promise, brokenOff: brokenOff.promise }
}

/** A client that sends null for absent params waits for an answer. */
export function testNullParams(): void {
  test('over stdio, requests with params of null or none at all are answered', { timeout: 20_000 }, async () => {
    api = await fakeApi((_, response) => response.end())
    spoken = await open('2025-11-25', api.url)
    try {
      for (const [id, params] of [null, [], 'text'].entries()) {
        spoken.say({ id: id + 2, method: 'tools/list', params })
        await spoken.answerTo(id + 2)
      }
      const answers = spoken.heard().slice(1)
      expect(answers.map(({ id, result }) => [id, result !== undefined])).toEqual([
        [2, true],
        [3, false],
        [4, false],
      ])
    } finally {
      spoken.kill()
      await api.close()
    }
  })
}

/** Tests the program as an assistant of this revision of the protocol speaks to it. */
export function testStdio(revision: keyof typeof envelopes): void {
  afterEach(async () => {
    spoken?.kill()
    await api?.close()
  })

  // Requests to the API time out after 30 seconds, which must not count as the end of a call.
  describe(`over stdio, in revision ${revision}`, { timeout: 20_000 }, () => {
    const envelope = envelopes[revision]
    const slowCall = { id: 2, method: 'tools/call', params: { name: 'get_categories', arguments: {}, ...envelope } }

    test('a call that is cancelled ends its request to the API and is not answered', async () => {
      const { requested, brokenOff } = await silentApi()
      spoken = await open(revision, api.url)
      spoken.say(slowCall)
      await requested
      spoken.say({
        method: 'notifications/cancelled',
        params: { requestId: 2, reason: 'no longer wanted', ...envelope },
      })
      await brokenOff
      spoken.say({ id: 3, method: 'tools/list', params: envelope })
      await spoken.answerTo(3)
      expect(spoken.heard().map(({ id }) => id)).toEqual([1, 3])
      expect(api.requests).toHaveLength(1)
    })

    test('the end of the input ends the program, also during a call', async () => {
      const { requested, brokenOff } = await silentApi()
      spoken = await open(revision, api.url)
      spoken.say(slowCall)
      await requested
      spoken.endInput()
      await brokenOff
      expect(await spoken.exit).toEqual([0, null])
      expect(spoken.heard().map(({ id }) => id)).toEqual([1])
    })

    test('output is nothing but messages; what cannot be read is logged apart', async () => {
      await silentApi()
      spoken = await open(revision, api.url)
      spoken.say({ id: 2, method: 'no/such/method', params: envelope })
      await spoken.answerTo(2)
      spoken.say({ result: 'of nothing' })
      spoken.say({ id: 3, method: 'prompts/list', params: envelope })
      await spoken.answerTo(3)
      spoken.endInput()
      expect(await spoken.exit).toEqual([0, null])
      expect(spoken.heard().map(({ id }) => id)).toEqual([1, 2, 3])
      expect(await spoken.errors).toContain('message refused')
    })
  })
}
