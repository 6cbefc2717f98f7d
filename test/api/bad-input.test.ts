import { once } from 'node:events'
import net from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishSmallGeneration } from './support/small-generation.ts'
import { headersByTier, serve, type TestServer, temporaryDataDir, withoutLimits } from './support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
let server: TestServer
let pro: Record<string, string>

beforeAll(async () => {
  await publishSmallGeneration(dataDir)
  pro = (await headersByTier(dataDir)).get('pro')!
  server = await serve(dataDir, withoutLimits)
})
afterAll(async () => {
  await server?.close()
  remove()
})

/** Each with the status, and what the message must name. */
const refused: readonly (readonly [target: string, status: number, ...named: string[]])[] = [
  ['/v1/prices?start_date=2024-02-30', 400, "'start_date'", 'YYYY-MM-DD', '2024-02-30'],
  ['/v1/prices?start_date=2023-02-29', 400, "'start_date'"],
  ['/v1/prices?end_date=2024-01-01T00:00:00Z', 400, "'end_date'"],
  ['/v1/prices?end_date=1704067200', 400, "'end_date'"],
  ['/v1/prices?start_date=', 400, "'start_date'"],
  ['/v1/prices?start_date=2024-02-02&end_date=2024-02-01', 400, "'start_date'", "'2024-02-01'"],
  ['/v1/prices?limit=0', 400, "'limit'", '1 to 10000'],
  ['/v1/prices?limit=-1', 400, "'limit'"],
  ['/v1/prices?limit=10001', 400, "'limit'", '10001'],
  ['/v1/prices?limit=1e3', 400, "'limit'"],
  ['/v1/prices?limit=0x10', 400, "'limit'"],
  ['/v1/prices?limit=1.5', 400, "'limit'"],
  ['/v1/prices?limit=%2010', 400, "'limit'"],
  ['/v1/prices?limit=99999999999999999999', 400, "'limit'"],
  ['/v1/prices?limit=5&limit=5', 400, "'limit'", 'more than once'],
  ['/v1/prices?limit[]=5', 400, "'limit[]'"],
  ['/v1/prices?days=5', 400, "'days'", 'limit, start_date, end_date'],
  ['/v1/prices?__proto__=5', 400, "'__proto__'"],
  ['/v1/prices?constructor=5', 400, "'constructor'"],
  ['/v1/prices?symbol=ETH', 400, "'symbol'", 'BTC'],
  ['/v1/prices?format=xml', 400, "'format'", 'json, csv, parquet'],
  ['/v1/prices?%00=%FF', 400],
  ['/v1/metrics?limit=0', 400, "'limit'"],
  ['/v1/metrics?offset=-1', 400, "'offset'"],
  ['/v1/metrics?variants=cohorts', 400, "'variants'", 'measures or all'],
  ['/v1/metrics?active_only=yes', 400, "'active_only'", 'true or false'],
  ['/v1/metrics/mvrvv', 404, "'mvrvv'", '/v1/metrics'],
  ['/v1/metrics/pric', 404, "did you mean 'price'"],
  ['/v1/metrics/%E0%A4%A', 400, 'percent-encoding'],
  ['/v1/metrics/%2e%2e%2f%2e%2e%2fetc%2fpasswd', 404],
  ['/v1/cohort/metrics/1y', 404, "'1y'", '24h', '10y_plus', 'lth'],
  ["/v1/cohort/metrics/lth'%20OR%201=1", 404],
  ['/v1/blockchain/height', 404, "'height'", 'block_height'],
  ['/v1/cycle-performance?type=top', 400, "'type'", 'halving, ath, low'],
  ['/v1/cycle-boundaries?family=', 400, "'family'"],
  ['/v1/revisions', 400, "'metric'", 'missing'],
  ['/v1/oi/exchange', 400, "'exchange'", 'missing'],
  ['/v1/etf/ticker', 400, "'ticker'", 'missing'],
  ['/v1/dat/entity', 400, "'id'", 'missing'],
  ['/v1/dat/entity?id=abc', 400, "'id'", '/v1/dat/registry'],
  ['/v1/dat/company/-1/holdings', 400, "'id'"],
  ['/v1/utxo/history?limit=50001', 400, "'limit'"],
  ['/v1/utxo/history?date_processed=2024-13-01', 400, "'date_processed'"],
  ['/v1/series', 400, 'metrics', 'formula'],
  ['/v1/series?metrics=', 400, "'metrics'"],
  ['/v1/series?metrics=price,,nupl', 400, "'metrics'"],
  ['/v1/series?metrics=pricee', 404, "'pricee'", "'price'"],
  ['/v1/series?metrics=price&interval=1h', 400, "'interval'"],
  ['/v1/utxo/history?cohort_start=2023-03-01&cohort_end=2023-02-01', 400, "'cohort_start'", 'cohort_end'],
  ['/v1/series?formula=price%2F', 400, "'formula'", 'position 7'],
  ['/v1/series?formula=sma(price,0)', 400, "'formula'", 'window'],
  ['/v1/series?formula=pricce', 400, "'formula'", "'price'"],
  [`/v1/series?formula=${'('.repeat(400)}`, 400, "'formula'", 'nested'],
  [`/v1/series?formula=${'1%2B'.repeat(300)}1`, 400, "'formula'"],
  [`/v1/prices?x=${'a'.repeat(9_000)}`, 414, '8192'],
  [`/v1/prices?x=${'a'.repeat(1_000_000)}`, 414],
  ['/v2/prices', 404, '/docs'],
  ['/nothing', 404],
]

test.each(refused.map(([target, status, ...named]) => ({ target, status, named, shown: target.slice(0, 60) })))(
  '$shown is refused with $status',
  async ({ target, status, named }) => {
    const response = await fetch(server.url + target, { headers: pro })
    const body = await response.json()
    expect([response.status, body]).toMatchObject([status, { success: false, error: { message: body.message } }])
    for (const name of named) expect(body.message).toContain(name)
    expect(JSON.stringify(body)).not.toMatch(/node:|node_modules|\.ts\b|\\n +at /)
  },
)

test('formats that are not served are refused, but errors are always JSON', async () => {
  const ask = async (target: string, accept: string) => {
    const response = await fetch(server.url + target, { headers: { accept } })
    return [response.status, response.headers.get('content-type')?.split(';')[0]]
  }
  expect(await ask('/v1/prices', 'image/png')).toEqual([406, 'application/json'])
  expect(await ask('/v1/prices?format=csv', 'image/png')).toEqual([200, 'text/csv'])
  expect(await ask('/v1/prices', 'text/csv')).toEqual([200, 'text/csv'])
  expect(await ask('/v1/prices', 'application/vnd.apache.parquet')).toEqual([200, 'application/vnd.apache.parquet'])
  expect(await ask('/v1/prices', 'text/html,application/xhtml+xml,*/*;q=0.8')).toEqual([200, 'application/json'])
  expect(await ask('/v1/prices?limit=x', 'text/csv')).toEqual([400, 'application/json'])
  expect(await ask('/docs', 'image/png')).toEqual([406, 'application/json'])
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is not served where GET is', async (method) => {
  for (const target of ['/v1/prices', '/v1/cohort/metrics/lth', '/docs', '/health', '/v1/changelog']) {
    const response = await fetch(server.url + target, { method })
    expect([target, response.status, (await response.json()).error.code]).toEqual([target, 405, 'method_not_allowed'])
    expect(response.headers.get('allow')).toContain('GET, HEAD')
  }
  const wrong = await fetch(`${server.url}/v1/accounts`)
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
})

describe('on the bare socket', () => {
  test.each([
    ['headers without end', `GET /v1/prices HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(20_000)}`, 431],
    ['a huge header', `GET /v1/prices HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`, 431],
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a header with a control character', 'GET / HTTP/1.1\r\nHost: x\r\nX: \x01\r\n\r\n', 400],
    ['two names', 'GET /v1/prices HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ])('%s', async (_, bytes, status) => {
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.write(bytes)
    await once(socket, 'close')
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ success: false })
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })
})

test('nothing of all that is a defect of the service', () => {
  expect(server.log()).toBe('')
})
