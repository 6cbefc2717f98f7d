import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { countRows } from '#accounts/database/statements.ts'
import { advance } from '#alerts/alert-state.ts'
import { Alerts, operator } from '#alerts/alerts.ts'
import { conditionStates, findCrossings } from '#alerts/conditions.ts'
import { isoDate } from '#base/days.ts'
import type { AlertCondition } from '#contract/alerts.ts'
import { temporaryDataDir } from '../api/support/test-server.ts'
import { listen } from '../support/listen.ts'
import { compileCache } from '../support/program.ts'
import { Random } from '../support/random.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { trials } from '../support/trials.ts'
import { firstDay, flippingSeries } from './flipping-series.ts'

// All messages fit into the limit of a day.
const evaluations = trials(240, 1_400)
const kills = trials(12, 200)
const daysBefore = 10
const metrics = ['price', 'mvrv', 'sopr']
const condition: AlertCondition = { kind: 'above', value: 0.5 }
/** Longer than an attempt takes here. */
const claimMs = 8_000

const { dataDir, remove } = temporaryDataDir()
const stopped: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stopped.reverse()) await stop()
  remove()
})

/** Received copies by `event channel`, with their times. */
const copies = new Map<string, number[]>()
const note = (event: string, channel: string): void => {
  copies.set(`${event} ${channel}`, [...(copies.get(`${event} ${channel}`) ?? []), performance.now()])
}

test(`${evaluations} evaluations with ${kills} kills deliver each crossing, twice only if the kill came before the note`, async () => {
  let killOnRequest = false
  let child: ChildProcess | undefined
  const receiver = createServer(async (request, response) => {
    const { data } = z.object({ data: z.object({ event: z.string() }) }).parse(JSON.parse(await text(request)))
    expect(request.headers['webhook-id']).toBe(data.event)
    note(data.event, 'webhook')
    response.end()
    // After the answer, and perhaps before the note.
    if (killOnRequest) response.once('close', () => child?.kill('SIGKILL'))
  })
  const url = await listen(receiver)
  stopped.push(
    () => receiver.close(),
    () => receiver.closeAllConnections(),
  )
  const smtp = await startSmtpServer({
    onMail: ({ headers }) => {
      const id = headers.find((line) => line.startsWith('Message-ID: '))
      note(/<(.*)@chain\.example>/.exec(id ?? '')?.[1] ?? 'without an id', 'email')
    },
  })
  stopped.push(smtp.stop)
  const database = SqliteAccounts.open(dataDir)
  stopped.push(() => database.close())
  const alerts = new Alerts(database, true)
  const ids = new Map<string, string>()
  for (const metric of metrics) {
    const { state } = advance(condition, flippingSeries(metric, daysBefore))
    const definition = { metric, condition, email: true, webhook: { url, format: 'json' } } as const
    ids.set(metric, (await alerts.create(operator, definition, state, metrics.length))!.id)
  }

  const daysFile = path.join(dataDir, 'days')
  const writeDays = (days: number): void => {
    writeFileSync(`${daysFile}.new`, String(days))
    renameSync(`${daysFile}.new`, daysFile)
  }
  const options = JSON.stringify({ dataDir, daysFile, mailPort: smtp.port, claimMs })
  const program = path.join(import.meta.dirname, 'evaluating-process.ts')
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  const load = (): ChildProcess =>
    spawn(process.execPath, [program, options], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env })
  /** The next process, which loads while the one before it works. */
  let next = load()
  const start = (): ChildProcess => {
    const started = next
    started.send('start')
    next = load()
    return started
  }
  stopped.push(
    () => child?.kill('SIGKILL'),
    () => next.kill('SIGKILL'),
  )
  const isEvaluated = async (days: number): Promise<boolean> =>
    (await countRows(database, 'alerts WHERE evaluated <> $days', { days: String(days) })) === 0

  const random = new Random(20)
  /** Messages that were not noted as delivered when a kill fell, with its time. */
  const killed: { readonly at: number; readonly waiting: ReadonlySet<string> }[] = []
  const waiting = z.object({ event_id: z.string(), channel: z.string() })
  const readWaiting = async (): Promise<Set<string>> => {
    const rows = await database.all(
      waiting,
      'SELECT event_id, channel FROM alert_deliveries WHERE delivered_at IS NULL',
    )
    return new Set(rows.map(({ event_id, channel }) => `${event_id} ${channel}`))
  }

  writeDays(daysBefore)
  child = start()
  for (let done = 1; done <= evaluations; done++) {
    writeDays(daysBefore + done)
    if (done % (evaluations / kills) === 0) {
      killOnRequest = random.next() < 0.5
      const exit = once(child, 'exit')
      // Half of the kills follow a request, others come at any time of evaluating and sending.
      if (!killOnRequest) await sleep(30 * random.next())
      else await Promise.race([exit, sleep(1_000)])
      child.kill('SIGKILL')
      await exit
      killOnRequest = false
      // Until what the process had sent before is read.
      await sleep(20)
      const at = performance.now()
      killed.push({ at, waiting: await readWaiting() })
      child = start()
    }
    // As many evaluations as there are days, except of those days during which the process was
    // killed.
    while (!(await isEvaluated(daysBefore + done))) await sleep(4)
  }
  await expect.poll(readWaiting, { timeout: 2 * claimMs + 5_000 }).toEqual(new Set())

  const expected = metrics.flatMap((metric) => {
    const { values } = flippingSeries(metric, daysBefore + evaluations)
    const { rows } = findCrossings(conditionStates(condition, values))
    const crossings = rows.filter((row) => row >= daysBefore)
    return crossings.map((row) => `${ids.get(metric)}.1.${isoDate(firstDay + row)}`)
  })
  expect(expected.length).toBeGreaterThan(evaluations / 2)
  const sent = expected.flatMap((event) => [`${event} email`, `${event} webhook`])
  expect([...copies.keys()].sort()).toEqual(sent.sort())

  const repeated = [...copies].filter(([, times]) => times.length > 1)
  const unexplained = repeated.filter(([message, times]) =>
    times.slice(1).some((time, i) => {
      const before = times[i]!
      return !killed.some(({ at, waiting: were }) => before <= at && at <= time && were.has(message))
    }),
  )
  expect(unexplained).toEqual([])
  expect(killed).toHaveLength(kills)
  // The trial has hit the gap between answer and note, or it would prove nothing.
  expect(repeated.length).toBeGreaterThan(0)
  for (const { content } of (await Promise.all([...ids.values()].map((id) => alerts.events({ id })))).flat())
    expect(content.text).toMatch(/ is above 0\.5: 1 on \d{4}-\d{2}-\d{2}\.$/)
}, 600_000)
