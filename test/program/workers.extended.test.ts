import { readFileSync, rmSync } from 'node:fs'
import http, { createServer } from 'node:http'

import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'
import { listen } from '#test/support/listen.ts'
import { addressOf, type RunningProgram, startCoinstrata, temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('workers')
const dataDir = path.join(folder, 'data')
let program: RunningProgram
let url: string
let metricsUrl: string
let said = ''

beforeAll(async () => {
  await publishSmallGeneration(dataDir)
  const [port, metricsPort] = [await freePort(), await freePort()]
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  program = startCoinstrata(['serve', '--workers', '2', '--port', `${port}`], {
    environment: {
      DATA_DIR: dataDir,
      METRICS_PORT: `${metricsPort}`,
      LOG_FORMAT: 'json',
      REQUESTS_PER_MINUTE: '40',
      DEMO_DAILY_REQUESTS: '100000',
    },
  })
  program.process.stderr?.on('data', (chunk) => {
    said += String(chunk)
  })
  url = await addressOf(program)
})
afterAll(async () => {
  program.process.kill()
  await program.outcome
  rmSync(folder, { recursive: true, force: true })
})

async function freePort(): Promise<string> {
  const server = createServer()
  const address = await listen(server)
  server.close()
  return new URL(address).port
}

/** Processes that the program began, those of its workers. */
const workers = (): number[] => {
  const { pid } = program.process
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

/** The answer over a connection of its own, and so of whichever worker comes next. */
function ask(target: string, agent: http.Agent | false = false): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${url}${target}`, { agent }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}
const statuses = async (count: number, target: string): Promise<(number | undefined)[]> => {
  const found = []
  for (let i = 0; i < count; i++) found.push((await ask(target)).status)
  return found
}

// Which processes a program began is told by Linux.
describe.skipIf(process.platform !== 'linux')('serve --workers 2', () => {
  it('grants one limit on one port, and tells the figures of both', async () => {
    expect(workers()).toHaveLength(2)
    // So that each knows of the other.
    await sleep(600)
    const granted = (await statuses(60, '/v1/prices?limit=1')).filter((status) => status === 200).length
    expect(granted).toBeGreaterThanOrEqual(40)
    expect(granted).toBeLessThanOrEqual(44)
    const figures = await (await fetch(metricsUrl)).text()
    expect(figures).toMatch(/^coinstrata_http_requests_total\{tier="demo"\} 60$/m)
    // Metrics about the data are not summed over workers.
    expect(figures).toMatch(/^coinstrata_state\{state="\w+"\} 1$/m)
    expect(figures).not.toMatch(/^coinstrata_state\{state="\w+"\} 2$/m)
  })

  it('serves a new generation from all', async () => {
    await publishSmallGeneration(dataDir, 'newer')
    // Each verifies it first.
    const generations = () =>
      Promise.all([1, 2, 3, 4].map(async () => JSON.parse((await ask('/health')).body).generation))
    await expect.poll(generations).toEqual(Array(4).fill('newer'))
  })

  it('replaces its workers on SIGHUP, and a request never fails', async () => {
    const before = workers()
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 })
    let isOver = false
    let answered = 0
    const keepAsking = async (which: http.Agent | false): Promise<void> => {
      while (!isOver) {
        expect((await ask('/health', which)).status).toBe(200)
        answered++
        await sleep(8)
      }
    }
    const asking = Promise.all([keepAsking(agent), keepAsking(agent), keepAsking(false)])
    program.process.kill('SIGHUP')
    await expect.poll(() => said, { interval: 100 }).toContain('all workers are replaced')
    isOver = true
    await asking
    agent.destroy()
    expect(answered).toBeGreaterThan(100)
    const after = workers()
    expect(after).toHaveLength(2)
    expect(after.filter((pid) => before.includes(pid))).toEqual([])
  })

  it('replaces a worker that dies', async () => {
    const [first = 0, second] = workers()
    process.kill(first, 'SIGKILL')
    await expect.poll(() => said).toContain('a worker died; another starts in 1000 ms')
    expect(await statuses(5, '/health')).toEqual([200, 200, 200, 200, 200])
    await expect.poll(() => workers().filter((pid) => pid !== second).length).toBe(1)
  })

  it('ends all of them when it is told to', async () => {
    program.process.kill('SIGTERM')
    expect(await program.outcome).toMatchObject({ exitCode: 0 })
    await expect(ask('/health')).rejects.toThrow('ECONNREFUSED')
  })
})

it('a port that is taken is told once', async () => {
  const taken = createServer()
  const { port } = new URL(await listen(taken))
  const { outcome } = startCoinstrata(['serve', '--workers', '2', '--port', port], {
    environment: { DATA_DIR: dataDir },
  })
  const { exitCode, stderr } = await outcome
  taken.close()
  expect(exitCode).toBe(2)
  expect(stderr.match(/cannot listen on 127\.0\.0\.1/g)).toHaveLength(1)
})
