import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { withDataFolder } from '#compute/data-folder.ts'
import { readMiningPools } from '#ingest/market/mining-pools.ts'
import { readRunJournal } from '#state/run-journal.ts'
import { type Answer, type Asked, addressed, serve } from '#test/ingest/market/fake-server.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { rowsOf } from '#test/support/published.ts'

const hour = 3_600_000
/** Yesterday's first hour; the program lives now. */
const yesterday = Math.floor(Date.now() / (24 * hour)) * 24 * hour - 24 * hour
const date = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

let folder: string
let dataDir: string
beforeEach(() => {
  folder = temporaryFolder('commands')
  dataDir = path.join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Hourly rates of yesterday's first two hours, and 12.5 BTC of open interest now. */
function hyperliquid({ body }: Asked): Answer {
  if (body.type === 'metaAndAssetCtxs') return { body: [{ universe: [{ name: 'BTC' }] }, [{ openInterest: '12.5' }]] }
  const times = [yesterday, yesterday + hour].filter(
    (time) => time >= Number(body.startTime) && time <= Number(body.endTime ?? Date.now()),
  )
  return { body: times.map((time) => ({ coin: 'BTC', fundingRate: '0.0000125', premium: '0', time })) }
}
const blocked = (): Answer => ({ status: 403, body: 'not in your country' })
const broken = (): Answer => ({ status: 400, body: 'no' })

/** Settings that lead sources to servers of this machine. */
async function serving(answers: Record<string, (asked: Asked) => Answer>): Promise<Record<string, string>> {
  const environment: Record<string, string> = {}
  for (const [source, answer] of Object.entries(answers)) {
    const server = await serve(answer)
    onTestFinished(server.close)
    Object.assign(environment, addressed(source, server.url))
  }
  return environment
}

const run = (args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> =>
  coinstrata([...args, '--data-dir', dataDir], { environment })

const lastRun = () => readRunJournal(dataDir, (journal) => journal.newest(1))?.[0]

describe('import pools', () => {
  it('replaces the list of pools, or says what is wrong with it', async () => {
    const list = path.join(folder, 'pools.json')
    const importing = (content: unknown) => {
      writeFileSync(list, JSON.stringify(content))
      return coinstrata(['import', 'pools', list, '--data-dir', dataDir])
    }
    const pool = { name: 'One', link: 'https://one.example', addresses: [], tags: ['/one/'] }
    expect(await importing([pool])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^1 mining pools? imported\n/),
    })
    const { exitCode, stderr } = await importing([{ ...pool, addresses: ['none'] }])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`${list}: 0.addresses.0: is no Bitcoin address [invalid_file]`)
    expect(readMiningPools(dataDir).map(({ id }) => id)).toEqual(['one'])
  })
})

describe('import labels', () => {
  const okx = `coin,snapshot height,amount
BTC,763861,449.5140

coin,Network,Snapshot Height,address,amount,message,signature1
ETH,ETH,20914735,0x0cdcdb19a857c2ac24818ca4fdfe38cce071483e,0.05,I am an OKX address,0x07
BTC,BTC,763861,12c6DSiU4Rq3P4ZxziKxzrL5LmMBrzjrJX,50,I am an OKX address,sig
BTC,BTC,763861,12c6DSiU4Rq3P4ZxziKxzrL5LmMBrzjrJX,1,I am an OKX address,sig
BTC,ETH,763861,0x0cdcdb19a857c2ac24818ca4fdfe38cce071483e,1,wrapped,sig
`
  const bitmex = `chain: main
address:
- addr: "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"
  addr_type: sh
  script: 53
- addr_type: unspendable
  addr: 1BitcoinEaterAddressDontSendf59kuE
total: 5
`
  const importing = (content: string, name: string) => {
    const list = path.join(folder, 'list')
    writeFileSync(list, content)
    return coinstrata(['import', 'labels', list, '--name', name, '--data-dir', dataDir])
  }
  const stored = (name: string) => readFileSync(path.join(dataDir, 'labels', name), 'utf8')

  it('takes the Bitcoin addresses of lists as OKX and BitMEX publish them', async () => {
    expect(await importing(okx, 'OKX 2022')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1 addresses of OKX 2022 imported'),
    })
    expect(stored('okx-2022.csv')).toBe('address,name,source\n12c6DSiU4Rq3P4ZxziKxzrL5LmMBrzjrJX,"OKX 2022","list"\n')
    expect((await importing(bitmex, 'BitMEX')).exitCode).toBe(0)
    expect(stored('bitmex.csv')).toContain('\n3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy,"BitMEX","list"\n')
    const newer = okx.replaceAll('12c6DSiU4Rq3P4ZxziKxzrL5LmMBrzjrJX', '1HLoD9E4SDFFPDiYfNYnkBLQ85Y51J3Zb1')
    expect((await importing(newer, 'OKX 2022')).exitCode).toBe(0)
    expect(stored('okx-2022.csv')).not.toContain('12c6')
  })

  it.each([
    [
      'an address that has another name',
      bitmex,
      'Other',
      /bitmex.csv, line 2: .* is "BitMEX", and "Other" in the list of Other/,
    ],
    ['no Bitcoin address', 'coin,address\nETH,0x0\n', 'Other', /lists no Bitcoin address/],
    ['what is no address', 'coin,address\nBTC,0x0\n', 'Other', /line 2: "0x0" is no address of mainnet/],
    ['a name with a quotation mark', okx, 'a "b"', /has a quotation mark/],
    ['a name without a letter for its file', okx, 'Ω', /has no letter or digit of ASCII/],
  ])('changes nothing for %s', async (_, content, name, message) => {
    await importing(bitmex, 'BitMEX')
    const before = readdirSync(path.join(dataDir, 'labels'))
    const { exitCode, stderr } = await importing(content, name)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
    expect(readdirSync(path.join(dataDir, 'labels'))).toEqual(before)
  })
})

describe('fetch', () => {
  const since = ['--since', date(yesterday)]

  it('stores what sources have, though others fail, and says how each went', async () => {
    const environment = await serving({ hyperliquid, bybit: blocked, deribit: broken })
    const { exitCode, stdout, stderr } = await run(['fetch', 'hyperliquid', 'bybit', 'deribit', ...since], environment)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/^ok +hyperliquid +3 added, 0 corrected, /m)
    expect(stdout).toMatch(/^blocked +bybit +bybit does not serve this address.*\n +What to do: nothing needs doing/m)
    expect(stdout).toMatch(/^failed +deribit +deribit: .* answered 400/m)
    expect(
      await rowsOf(`SELECT exchange, rate, interval_hours FROM '${dataDir}/raw/market/funding/hyperliquid/*.parquet'`),
    ).toEqual([
      // The venue does not say for how long a rate holds: that follows from the time to the next
      // one.
      ['hyperliquid', '1.25e-05', null],
      ['hyperliquid', '1.25e-05', null],
    ])
    expect(lastRun()).toMatchObject({ job: 'fetch', outcome: 'ok', message: 'bybit blocked, deribit failed' })
  })

  it('adds nothing the second time', async () => {
    const environment = await serving({ hyperliquid })
    await run(['fetch', 'hyperliquid', ...since], environment)
    const { stdout } = await run(['fetch', 'hyperliquid', ...since], environment)
    // The open interest is of another moment.
    expect(stdout).toMatch(/^ok +hyperliquid +1 added, 0 corrected, /m)
    expect(await rowsOf(`SELECT count(*) FROM '${dataDir}/raw/market/funding/*/*.parquet'`)).toEqual([['2']])
  })

  it('fails where every source does', async () => {
    const environment = await serving({ bybit: blocked, deribit: broken })
    const { exitCode, stderr } = await run(['fetch', 'bybit', 'deribit', 'sosovalue', ...since], environment)
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(
      /no source of market data answered: .*bybit blocked, deribit failed, sosovalue not configured \[market_source_failed\]\nWhat to do: /,
    )
    expect(lastRun()).toMatchObject({ job: 'fetch', outcome: 'failed', message: expect.stringContaining('bybit') })
  })

  it('takes the sources of MARKET_SOURCES where none is named', async () => {
    const environment = { ...(await serving({ hyperliquid, bybit: blocked })), MARKET_SOURCES: 'hyperliquid' }
    const { exitCode, stdout } = await run(['fetch', ...since], environment)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^ok +hyperliquid .*\n$/)
    const none = await run(['fetch'], { MARKET_SOURCES: 'none' })
    expect(none).toMatchObject({ exitCode: 0, stdout: 'MARKET_SOURCES names no source to ask\n' })
  })

  it('takes nothing but the open interest of the moment for a snapshot', async () => {
    const environment = { ...(await serving({ hyperliquid })), MARKET_SOURCES: 'hyperliquid,coinbase' }
    const { exitCode, stdout } = await run(['fetch', '--snapshots'], environment)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^ok +hyperliquid +1 added, 0 corrected, 0 already known\n$/)
    expect(await rowsOf(`SELECT amount, unit FROM '${dataDir}/raw/market/*/*/*.parquet'`)).toEqual([['12.5', 'btc']])
    expect(lastRun()).toMatchObject({ job: 'snapshots', outcome: 'ok', message: null })
  })

  it.each([
    ['an unknown source', ['bitmex'], /there is no market data source "bitmex" \[invalid_argument\]/],
    ['a day that does not exist', ['okx', '--since', '2024-02-30'], /--since is "2024-02-30"/],
    ['a day to come', ['okx', '--since', '2999-01-01'], /--since is "2999-01-01"/],
  ])('refuses %s', async (_, args, message) => {
    const { exitCode, stderr } = await run(['fetch', ...args])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('waits for its turn to write', async () => {
    const answer = vi.fn(hyperliquid)
    const environment = await serving({ hyperliquid: answer })
    const { exitCode, stderr } = await withDataFolder(dataDir, () => run(['fetch', 'hyperliquid'], environment))
    expect(exitCode).toBe(3)
    expect(stderr).toContain('[data_folder_in_use]')
    expect(answer).not.toHaveBeenCalled()
    expect(lastRun()).toMatchObject({ outcome: 'failed', message: expect.stringContaining('another run is writing') })
  })
})

describe('import', () => {
  const day = date(yesterday)

  it.each([
    ['prices', ['date,open,high,low,close', `${day},1,2,1,2`], /1 days added, 0 corrected, 0 already known \(/],
    ['etf', ['ticker,date,holdings_btc', `IBIT,${day},100`, `FBTC,${day},50.5`], /2 observations added/],
    ['treasuries', ['entity_id,date,holdings_btc', `1,${day},100`], /1 observations added/],
    ['funding', ['exchange,instrument,time,rate', `okx,BTC-USDT-SWAP,${day}T08:00:00Z,0.0001`], /1 observations added/],
    [
      'oi',
      ['exchange,instrument,time,amount,unit', `okx,BTC-USD-SWAP,${day}T08:00:00Z,5000,usd`],
      /1 observations added/,
    ],
  ])('%s takes a file, and its values once', async (kind, lines, message) => {
    const file = path.join(folder, `${kind}.csv`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    const { exitCode, stdout, stderr } = await run(['import', kind, file])
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(message)
    expect(stdout).toContain('with the next "coinstrata update"')
    const again = await run(['import', kind, file])
    expect(again.stdout).toMatch(/ 0 (days|observations) added, 0 corrected, [12] already known/)
  })

  it('refuses a file with its line, and stores nothing', async () => {
    const file = path.join(folder, 'funding.csv')
    writeFileSync(file, `exchange,instrument,time,rate\nokx,BTC-USDT-SWAP,${day}T08:00:00Z,1.5\n`)
    const { exitCode, stderr } = await run(['import', 'funding', file])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`${file}, line 2: `)
    expect(stderr).toContain('rates are fractions, not percent')
    expect(await run(['sources'])).toMatchObject({ stdout: expect.not.stringContaining('import') })
  })
})

describe('sources', () => {
  it('tells of each what it has, how it last went, and what to do', async () => {
    const environment = await serving({ hyperliquid, bybit: blocked })
    await run(['fetch', 'hyperliquid', 'bybit', '--since', date(yesterday)], environment)
    const file = path.join(folder, 'etf.csv')
    writeFileSync(file, `ticker,date,holdings_btc\nIBIT,${date(yesterday)},100\n`)
    await run(['import', 'etf', file])
    const { exitCode, stdout } = await run(['sources'], environment)
    expect(exitCode).toBe(0)
    const of = (source: string): string =>
      stdout
        .split(/\n(?=\S)/)
        .filter((part) => part.startsWith(`${source} `))
        .join('\n')
    expect(of('hyperliquid')).toMatch(/ ok +Hyperliquid: funding, open interest; http:\/\/127\.0\.0\.1:\d+\n/)
    expect(of('hyperliquid')).toMatch(/last answered \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    expect(of('hyperliquid')).toContain(`3 observations from ${date(yesterday)} to `)
    expect(of('bybit')).toMatch(/ blocked .*\n +has not answered yet\n +next: nothing: it does not serve this address/)
    expect(of('okx')).toMatch(/ new .*\n +has not answered yet\n +next: run coinstrata fetch okx/)
    expect(of('sosovalue')).toMatch(/ no key .*\n.*\n +next: set SOURCES_SOSOVALUE_API_KEY/)
    expect(of('import')).toMatch(/^import +ok +etf: 1 observations from/)
  })
})
