import { randomBytes } from 'node:crypto'
import { cpSync, linkSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it, test, vi } from 'vitest'
import { writeToday } from '#compute/live/write-today.ts'
import { digestFile } from '#sql/file-digest.ts'
import { currentGeneration, openGeneration, publishedFolder, switchToGeneration, todayLink } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { withSession } from '#sql/session.ts'
import { flipBit } from '../support/flip-bit.ts'
import { openDay } from './support/served-chain.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { serve, type TestServer, temporaryDataDir } from './support/test-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function publish(): Promise<string> {
  const { dataDir, remove } = temporaryDataDir()
  closing.push(remove)
  await publishSmallGeneration(dataDir, 'g1')
  return dataDir
}

/** A server that verifies what it serves every tenth of a second, or never. */
async function start(dataDir: string, verifyIntervalMs = 100): Promise<TestServer> {
  const server = await serve(dataDir, { ACCESS: 'open', METRICS_PORT: '0' }, { verifyIntervalMs })
  closing.push(() => server.close())
  return server
}
const never = 2 ** 31 - 1

const fileOf = (dataDir: string, name: string, id = 'g1'): string =>
  path.join(publishedFolder(dataDir), id, `${name}.parquet`)

const ask = async ({ url }: TestServer, target: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/v1/${target}`, { headers })
  const text = await response.text()
  return { status: response.status, etag: response.headers.get('etag') ?? '', text, headers: response.headers }
}
const prices = 'prices?limit=3'
const cycles = 'cycle-boundaries'
const withdrawn = expect.objectContaining({
  status: 503,
  text: expect.stringMatching(/"code":"data_damaged".*metrics_market.*coinstrata update/s),
})

/** Problems in every place that reports them. */
async function problems(server: TestServer) {
  const health = await (await fetch(`${server.url}/health`)).json()
  const { state } = JSON.parse((await ask(server, 'status')).text)
  const figures = await (await fetch(server.metricsUrl!)).text()
  expect(state.problems).toEqual(health.problems)
  const damage = health.problems.find(({ code }: { code: string }) => code === 'generation_damaged')
  expect(figures.includes('coinstrata_problem{code="generation_damaged"')).toBe(damage !== undefined)
  return { status: String(health.status), message: damage?.message, cure: damage?.cure }
}
const reported = (message: string, status = 'failed') => ({
  status,
  message: expect.stringContaining(message),
  cure: expect.stringContaining('coinstrata update'),
})
const eventually = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 20_000, interval: 50 })

describe('a published table', () => {
  it.each([
    ['has a flipped bit', flipBit],
    ['is cut off', (file: string) => truncateSync(file, 100)],
    ['is gone', (file: string) => rmSync(file)],
  ])('is not served if it %s before it is opened, and the others are', async (_, damage) => {
    const dataDir = await publish()
    damage(fileOf(dataDir, 'metrics_market'))
    const server = await start(dataDir, never)
    expect(await ask(server, prices)).toEqual(withdrawn)
    expect(await ask(server, 'series?metrics=price&formula=price*2')).toEqual(withdrawn)
    expect(await ask(server, 'chart/snapshot?metric=price&format=json')).toEqual(withdrawn)
    expect(await ask(server, 'tables/metrics_market.parquet')).toEqual(withdrawn)
    expect((await ask(server, prices)).headers.get('retry-after')).toBe('60')
    expect((await ask(server, cycles)).status).toBe(200)
    expect((await ask(server, 'metrics')).status).toBe(200)
    expect(await problems(server)).toEqual(reported('metrics_market'))
    expect(server.log()).toContain('tables metrics_market are damaged')
  })

  it('is withdrawn by the next verification with all that was read from it, and returns once it is intact', async () => {
    const dataDir = await publish()
    const server = await start(dataDir)
    const before = await ask(server, prices)
    const drawn = await ask(server, 'chart/snapshot?metric=price&format=svg')
    const picture = `chart/renders/${drawn.headers.get('x-render-id')}.svg`
    expect([before.status, drawn.status, (await ask(server, picture)).status]).toEqual([200, 200, 200])
    expect((await ask(server, prices, { 'if-none-match': before.etag })).status).toBe(304)
    const { etag } = await ask(server, 'tables/metrics_market.parquet')

    const undo = flipBit(fileOf(dataDir, 'metrics_market'))
    await eventually(async () => expect(await problems(server)).toEqual(reported('metrics_market')))
    for (const target of [prices, 'series?metrics=price', 'chart/snapshot?metric=price&format=svg']) {
      expect(await ask(server, target), target).toEqual(withdrawn)
    }
    expect(await ask(server, prices, { 'if-none-match': before.etag })).toEqual(withdrawn)
    expect(await ask(server, prices, { 'if-none-match': '*' })).toEqual(withdrawn)
    expect(await ask(server, 'tables/metrics_market.parquet', { 'if-none-match': etag })).toEqual(withdrawn)
    expect((await ask(server, picture)).status).toBe(404)
    expect(readdirSync(path.join(dataDir, 'state', 'renders'))).toEqual([])
    expect((await ask(server, cycles)).status).toBe(200)

    undo()
    await eventually(async () => expect((await problems(server)).message).toBeUndefined())
    const after = await ask(server, prices, { 'if-none-match': before.etag })
    expect([after.status, JSON.parse(after.text).data]).toEqual([200, JSON.parse(before.text).data])
  })

  it.each([
    ['is cut off', (file: string) => truncateSync(file, 100)],
    ['is gone', (file: string) => rmSync(file)],
  ])('is withdrawn as soon as it is read if it %s', async (_, damage) => {
    const dataDir = await publish()
    const server = await start(dataDir, never)
    expect((await ask(server, prices)).status).toBe(200)
    damage(fileOf(dataDir, 'metrics_market'))
    expect(await ask(server, 'tables/metrics_market.parquet')).toEqual(withdrawn)
    expect(await ask(server, prices)).toEqual(withdrawn)
    expect(await problems(server)).toEqual(reported('metrics_market'))
  })

  it('is withdrawn as soon as DuckDB cannot read it', async () => {
    const dataDir = await publish()
    const server = await start(dataDir, never)
    expect((await ask(server, cycles)).status).toBe(200)
    const file = fileOf(dataDir, 'metrics_market')
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0, bytes.length >> 1))
    expect(await ask(server, prices)).toEqual(withdrawn)
  })
})

describe('a generation', () => {
  it('stays served if the next one is damaged, until one is intact', async () => {
    const dataDir = await publish()
    const server = await start(dataDir)
    const served = async () => JSON.parse((await ask(server, prices)).text).meta.generation
    expect(await served()).toBe('g1')
    const damaged = path.join(publishedFolder(dataDir), 'g2')
    cpSync(path.join(publishedFolder(dataDir), 'g1'), damaged, { recursive: true })
    const { generation } = openGeneration(damaged)
    writeIntactJson(path.join(damaged, 'generation.json'), { ...generation, id: 'g2' })
    flipBit(fileOf(dataDir, 'metrics_market', 'g2'))
    switchToGeneration(dataDir, 'g2')
    await eventually(async () => expect(await problems(server)).toEqual(reported('metrics_market')))
    expect(await served()).toBe('g1')

    await publishSmallGeneration(dataDir, 'g3', { price: (n) => n + 1 })
    await eventually(async () => expect(await served()).toBe('g3'))
    expect((await problems(server)).message).toBeUndefined()
  })

  it('that changes is verified before it is read again, and served if its content is the same', async () => {
    const dataDir = await publish()
    const server = await start(dataDir, never)
    expect((await ask(server, prices)).status).toBe(200)
    const file = fileOf(dataDir, 'metrics_market')
    linkSync(file, `${file}.backup`)
    expect((await ask(server, 'prices?limit=4')).status).toBe(200)
    rmSync(file)
    cpSync(`${file}.backup`, file)
    expect((await ask(server, 'prices?limit=5')).status).toBe(200)
    flipBit(file)
    // Its column is not in memory.
    expect(await ask(server, 'series?metrics=secret_price')).toEqual(withdrawn)
    expect(await problems(server)).toEqual(reported('metrics_market'))
  })

  it('that is retained is verified too', async () => {
    const dataDir = await publish()
    await publishSmallGeneration(dataDir, 'g2')
    const server = await start(dataDir)
    const old = `${prices}&generation=g1`
    expect([(await ask(server, prices)).status, (await ask(server, old)).status]).toEqual([200, 200])
    flipBit(fileOf(dataDir, 'metrics_market'))
    await eventually(async () => expect(await problems(server)).toEqual(reported('metrics_market of generation g1')))
    expect(await ask(server, old)).toEqual(withdrawn)
    expect((await ask(server, prices)).status).toBe(200)
    expect(await ask(await start(dataDir, never), old)).toEqual(withdrawn)
  })

  it('that is retained and then removed is not damaged', async () => {
    const dataDir = await publish()
    await publishSmallGeneration(dataDir, 'g2')
    const server = await start(dataDir)
    const old = `${prices}&generation=g1`
    expect((await ask(server, old)).status).toBe(200)
    rmSync(path.join(publishedFolder(dataDir), 'g1'), { recursive: true })
    expect((await ask(server, old)).status).toBe(404)
    const undo = flipBit(fileOf(dataDir, 'metrics_market', 'g2'))
    await eventually(async () => expect(await problems(server)).toEqual(reported('metrics_market')))
    undo()
    await eventually(async () => expect((await problems(server)).message).toBeUndefined())
    expect(server.log().match(/are damaged/g)).toHaveLength(1)
  })

  it('is not served without its catalogue or its description', async () => {
    const dataDir = await publish()
    const undo = flipBit(fileOf(dataDir, 'catalogue'))
    const server = await start(dataDir, never)
    const refused = (table: string) => ({
      status: 503,
      text: expect.stringMatching(new RegExp(`"code":"data_damaged".*${table}.*coinstrata update`)),
    })
    expect(await ask(server, prices)).toMatchObject(refused('catalogue'))
    expect(await problems(server)).toEqual(reported('damaged', 'data_not_ready'))
    undo()
    await eventually(async () => expect((await ask(server, prices)).status).toBe(200))
    truncateSync(path.join(publishedFolder(dataDir), 'g1', 'generation.json'), 200)
    await eventually(async () => expect(await problems(server)).toEqual(reported('all of generation g1')))
    const restarted = await start(dataDir, never)
    expect(await ask(restarted, prices)).toMatchObject(refused('generation g1'))
    expect((await ask(restarted, 'status')).status).toBe(200)
  })

  it('without its description is not taken for one that is not kept, nor an older one for it', async () => {
    const dataDir = await publish()
    for (const [id, year] of [
      ['g2', 2025],
      ['g3', 2026],
    ] as const)
      await publishSmallGeneration(dataDir, id, { created_at: `${year}-06-01T00:00:00Z`, price: (n) => n + year })
    const server = await start(dataDir, never)
    const targets = ['prices?limit=1&as_of=2025-07-01', 'revisions?metric=price', 'prices?generation=g2']
    for (const target of targets) expect((await ask(server, target)).status).toBe(200)
    const undo = flipBit(path.join(publishedFolder(dataDir), 'g2', 'generation.json'))
    const restarted = await start(dataDir, never)
    for (const target of targets)
      expect(await ask(restarted, target)).toMatchObject({
        status: 503,
        text: expect.stringMatching(/data_damaged.*generation g2/),
      })
    for (const target of ['prices', 'prices?as_of=2026-07-01'])
      expect((await ask(restarted, target)).status, target).toBe(200)
    undo()
    for (const target of targets) expect((await ask(restarted, target)).status).toBe(200)
  })

  it('of a large size is verified in a thread', async () => {
    const dataDir = await publish()
    const { folder, generation } = currentGeneration(dataDir)!
    const large = fileOf(dataDir, 'fine_flows')
    writeFileSync(large, randomBytes(40e6))
    const tables = { ...generation.tables, fine_flows: { rows: 1, ...(await digestFile(large)) } }
    writeIntactJson(path.join(folder, 'generation.json'), { ...generation, tables })
    const server = await start(dataDir)
    expect((await problems(server)).message).toBeUndefined()
    flipBit(large)
    await eventually(async () => expect(await problems(server)).toEqual(reported('fine_flows')))
    expect((await ask(server, prices)).status).toBe(200)
  })
})

test('a kept chart is composed again if its file is damaged', async () => {
  const dataDir = await publish()
  const server = await start(dataDir, never)
  const draw = (format: string) => ask(server, `chart/snapshot?metric=price&format=${format}`)
  const id = (await draw('svg')).headers.get('x-render-id')
  flipBit(path.join(dataDir, 'state', 'renders', `${id}.chart`))
  const [csv, json] = [await draw('csv'), await draw('json')]
  expect([csv.status, json.status]).toEqual([200, 200])
  const other = csv.headers.get('x-render-id')
  expect(other).not.toBe(id)
  expect(JSON.parse(json.text).render_id).toBe(other)
})

test('the table today is not served while its file is damaged', async () => {
  const dataDir = await publish()
  const write = () =>
    withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, (connection) =>
      writeToday(connection, dataDir, openDay(currentDay)),
    )
  const currentDay = 20_000
  await write()
  const server = await start(dataDir, never)
  expect(JSON.parse((await ask(server, 'today')).text).data).toHaveLength(1)
  flipBit(todayLink(publishedFolder(dataDir)))
  expect(await ask(server, 'today')).toMatchObject({ status: 503, text: expect.stringContaining('next block') })
  await eventually(async () => expect(await problems(server)).toEqual(reported('today')))
  await write()
  expect((await ask(server, 'today')).status).toBe(200)
})
