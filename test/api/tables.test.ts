import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { paths } from '#contract/paths.ts'
import { type TableName, tableNames, tables } from '#contract/tables/tables.ts'
import type { Tier } from '#contract/tiers.ts'
import { currentGeneration } from '#sql/generation.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { addEarlierGeneration } from './support/served-chain.ts'
import { signIn } from './support/test-server.ts'

/** Without metrics of the operator. */
const published = tableNames.filter((name) => name !== tables.own_metrics.name)

serveChain()
let headers: ReadonlyMap<Tier, Record<string, string>>
let earlier: string
beforeAll(async () => {
  headers = new Map([...keys, ['free', { cookie: await signIn(server, chain.dataDir, 'free@example.org') }]])
  earlier = await addEarlierGeneration(chain.dataDir)
})

const fileOf = (name: TableName): Buffer =>
  readFileSync(path.join(currentGeneration(chain.dataDir)!.folder, `${name}.parquet`))

async function ask(target: string, more: Record<string, string> = {}, tier: Tier = 'enterprise', method = 'GET') {
  const response = await fetch(`${server.url}/v1/tables/${target}`, {
    method,
    headers: { ...headers.get(tier), ...more },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    get: (name: string) => response.headers.get(name),
    bytes,
    code: isJson ? JSON.parse(bytes.toString()).error?.code : undefined,
  }
}

/** Tables that others than tier enterprise may have whole. */
const everybody = [
  'catalogue',
  'metric_history',
  'cycles',
  'pools',
  'exchanges',
  'etf_registry',
  'treasury_registry',
  'kinds',
  'day_hashes',
]
const onlyEnterprise = ['flows', 'kind_flows', 'young_spends', 'fine_flows', 'cost_basis', 'metrics_distribution']

test('a whole table is for those who may see all of its days and columns', async () => {
  const { data } = await (await fetch(`${server.url}/v1/tables`)).json()
  expect(data.map(({ name }: { name: string }) => name)).toEqual(published)
  for (const name of published) {
    const needed = everybody.includes(name) ? 'demo' : onlyEnterprise.includes(name) ? 'enterprise' : 'pro'
    const { tables } = currentGeneration(chain.dataDir)!.generation
    expect(data.find((row: { name: string }) => row.name === name)).toMatchObject({
      tier: needed,
      path: paths.table.replace('{file}', `${name}.parquet`),
      ...tables[name],
    })
    const statuses = await Promise.all(
      (['demo', 'free', 'pro', 'enterprise'] as const).map(
        async (tier) => (await ask(`${name}.parquet`, {}, tier)).status,
      ),
    )
    const expected = { demo: [200, 200, 200, 200], pro: [401, 403, 200, 200], enterprise: [401, 403, 403, 200] }[needed]
    expect([name, ...statuses]).toEqual([name, ...expected])
  }
})

test('the file is that of the generation, whole or in parts, and of another one by its id', async () => {
  const bytes = fileOf('prices')
  const whole = await ask('prices.parquet')
  expect(whole.bytes.equals(bytes)).toBe(true)
  const etag = `"${hash('sha256', bytes)}"`
  expect([
    whole.get('etag'),
    whole.get('accept-ranges'),
    whole.get('content-type'),
    whole.get('cache-control'),
  ]).toEqual([etag, 'bytes', 'application/vnd.apache.parquet', 'private, no-cache'])
  const head = await ask('prices.parquet', {}, 'pro', 'HEAD')
  expect([head.status, head.get('content-length'), head.bytes.length]).toEqual([200, String(bytes.length), 0])

  const end = await ask('prices.parquet', { range: 'bytes=-8' })
  expect([end.status, end.bytes.subarray(4).toString()]).toEqual([206, 'PAR1'])
  const part = await ask('prices.parquet', { range: 'bytes=4-13', 'if-range': etag })
  expect([part.status, part.get('content-range')]).toEqual([206, `bytes 4-13/${bytes.length}`])
  expect(part.bytes.equals(bytes.subarray(4, 14))).toBe(true)
  // Of another file no part is wanted.
  expect((await ask('prices.parquet', { range: 'bytes=4-13', 'if-range': '"another"' })).bytes).toHaveLength(
    bytes.length,
  )
  const behind = await ask('prices.parquet', { range: `bytes=${bytes.length}-` })
  expect([behind.status, behind.code, behind.get('content-range')]).toEqual([
    416,
    'range_not_satisfiable',
    `bytes */${bytes.length}`,
  ])
  expect((await ask('prices.parquet', { 'if-none-match': etag })).status).toBe(304)
  expect(await ask('prices.parquet', { 'if-match': '"another"' })).toMatchObject({
    status: 412,
    code: 'precondition_failed',
  })

  const old = await ask(`metrics_valuation.parquet?generation=${earlier}`)
  expect([old.status, old.get('x-generation')]).toEqual([200, earlier])
  expect(old.bytes.equals(fileOf('metrics_valuation'))).toBe(false)
  expect((await ask('prices.parquet?generation=g0')).status).toBe(404)
  expect((await ask('prices.parquet?limit=1')).status).toBe(400)
  for (const file of ['today.parquet', 'prices', 'prices.json', '..%2f..%2faccounts.db', '%2e%2e%2fgeneration.json']) {
    expect([file, (await ask(file)).status]).toEqual([file, 404])
  }
})

test('as CSV, every tier gets the days and columns of a table that it sees', async () => {
  const lines = async (name: string, tier: Tier) => {
    const answer = await ask(`${name}.csv.gz`, {}, tier)
    expect([name, tier, answer.status, answer.get('content-type')]).toEqual([name, tier, 200, 'application/gzip'])
    return gunzipSync(answer.bytes).toString().trimEnd().split('\n')
  }
  const { data } = await (await fetch(`${server.url}/v1/tables?fields=columns`)).json()
  for (const { name, columns } of data as { name: string; columns: string[] }[]) {
    const names = columns.map((column) => column.split(' ')[0]!)
    expect([name, (await lines(name, 'enterprise'))[0]]).toEqual([name, names.join()])
    if ((await ask(`${name}.csv.gz`, {}, 'demo')).status === 401) continue
    const seen = (await lines(name, 'demo'))[0]!.split(',')
    expect([name, seen]).toEqual([name, names.filter((one) => seen.includes(one))])
  }
  const [head = '', ...rows] = await lines('metrics_valuation', 'pro')
  expect([head.split(',')[0], rows.length]).toEqual(['date', 430])
  const [shortHead = '', ...shortRows] = await lines('metrics_valuation', 'demo')
  expect([shortHead, shortRows]).toEqual([head, rows.slice(-60)])
  // Exchanges are for tier pro.
  const [open = ''] = await lines('metrics_derivatives', 'demo')
  const [all = ''] = await lines('metrics_derivatives', 'pro')
  expect(open.split(',')).toEqual(all.split(',').filter((name) => open.split(',').includes(name)))
  expect([open, all].map((names) => names.includes('funding_rate_binance'))).toEqual([false, true])
  const firstDay = shortRows[0]!.slice(0, 10)
  const [, ...blocks] = await lines('blocks', 'pro')
  const [, ...seen] = await lines('blocks', 'demo')
  expect(seen).toEqual(blocks.filter((row) => row.split(',')[3]! >= firstDay))
  expect(seen.length).toBeLessThan(blocks.length)
  for (const [name, tier, status] of [
    ['flows', 'pro', 403],
    ['flows', 'demo', 401],
    ['funding', 'demo', 401],
    ['cohorts', 'free', 403],
    ['metrics_profit_and_loss', 'demo', 401],
    ['today', 'enterprise', 404],
  ] as const) {
    expect([name, tier, (await ask(`${name}.csv.gz`, {}, tier)).status]).toEqual([name, tier, status])
  }
  for (const name of ['prices', 'price_sources', 'price_onchain']) {
    const [, ...all] = await lines(name, 'enterprise')
    expect(await lines(name, 'demo')).toEqual([
      (await lines(name, 'pro'))[0],
      ...all.filter((row) => row.slice(0, 10) >= firstDay),
    ])
  }
  const whole = await ask('prices.csv.gz', {}, 'pro')
  const etag = whole.get('etag')!
  expect((await ask('prices.csv.gz', { 'if-none-match': etag }, 'pro')).status).toBe(304)
  const short = await ask('metrics_valuation.csv.gz', {}, 'demo')
  expect((await ask('metrics_valuation.csv.gz', { 'if-none-match': short.get('etag')! }, 'pro')).status).toBe(200)
  expect((await ask('prices.csv.gz', {}, 'pro', 'HEAD')).bytes).toHaveLength(0)
  expect((await ask(`metrics_valuation.csv.gz?generation=${earlier}`)).get('x-generation')).toBe(earlier)
})
