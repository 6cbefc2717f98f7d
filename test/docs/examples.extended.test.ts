import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { createAccount } from '#accounts/commands.ts'
import { createSignatureHeaders } from '#accounts/webhooks/signature.ts'
import { metaSchema } from '#contract/envelope.ts'
import { templateBody } from '#render/request/template.ts'
import { templates } from '#render/request/templates.ts'
import { settingNames } from '#root/config.ts'
import { withSession } from '#sql/session.ts'
import { password, serve, withoutLimits } from '#test/api/support/test-server.ts'
import { http } from '#test/mcp/support/clients.ts'
import { dataDir, key, serveDemo, service } from '#test/mcp/support/demo-service.ts'
import { freePort } from '#test/support/free-port.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { currentFolder, rowsOf } from '#test/support/published.ts'
import { canImport, python } from '#test/support/python.ts'
import { type CodeBlock, codeBlocks, inlineCode, pages } from './support/pages.ts'

/**
 * Runs the queries, programs and requests of the documentation on the simulated chain, unchanged.
 */

const folder = temporaryFolder('examples')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
serveDemo()

const run = promisify(execFile)
const blocksOf = (language: string, page?: string): CodeBlock[] =>
  codeBlocks.filter((block) => block.language === language && (page === undefined || block.page === page))
const blockWith = (language: string, words: string): string =>
  blocksOf(language).find(({ text }) => text.includes(words))?.text ?? ''
/** A program of a page, with another address and key. */
const here = (text: string): string => text.replaceAll('http://127.0.0.1:3000', service.url).replaceAll('cs_…', key)

describe('pages of metrics', () => {
  const lines = [...pages].flatMap(([page, text]) =>
    page.startsWith('docs/metrics/') ? [...text.matchAll(/^(?:SQL|API): .*$/gm)].map(([line]) => line) : [],
  )
  const read = lines.map((line) => {
    const [, column = '', table = '', address = ''] =
      /^SQL: `SELECT date, (\w+) FROM 'data\/published\/current\/(\w+)\.parquet'(?: WHERE cohort = '\w+')?` · API: `(\/v1\/\S+)`$/.exec(
        line,
      ) ?? []
    return { line, column, table, address, metric: /^\/v1\/series\?metrics=(\w+)$/.exec(address)?.[1] }
  })

  it('ask in SQL for the value that the API answers to the address beside it', async () => {
    const series = read.filter(({ metric, table }) => metric !== undefined && table !== 'cohorts')
    expect(series.length).toBeGreaterThan(390)
    const wrong: unknown[] = []
    for (const [table, columns] of Map.groupBy(series, (one) => one.table)) {
      // Limit of metrics per request.
      for (let from = 0; from < columns.length; from += 20) {
        const some = columns.slice(from, from + 20)
        const [row] = await ask(`/v1/series?metrics=${some.map(({ metric }) => metric).join()}&limit=1`)
        const named = some.map(({ column }) => `${column}::DOUBLE`).join(', ')
        const [values = []] = await rowsOf(
          `SELECT ${named} FROM '${currentFolder(dataDir)}/${table}.parquet' WHERE date = '${row?.date}'`,
        )
        some.forEach(({ metric = '' }, i) => {
          const value = values[i] ?? null
          if (row?.[metric] !== (value === null ? null : Number(value))) wrong.push([metric, value, row?.[metric]])
        })
      }
    }
    expect(wrong).toEqual([])
  })

  it('name the table and the address of what has several values a day', async () => {
    const others = read.filter(({ metric }) => metric === undefined)
    expect(others.map(({ column }) => column)).toEqual(['supply_sats', 'spent_sats'])
    for (const { column, table, address } of others) {
      const [row] = await ask(`${address}&limit=1`)
      const sql = `SELECT sum(${column}) FROM '${currentFolder(dataDir)}/${table}.parquet' WHERE date = '${row?.date}'`
      expect([Object.keys(row ?? {}), Number((await rowsOf(sql))[0]?.[0]) > 0]).toEqual([
        expect.arrayContaining(['date', column]),
        true,
      ])
    }
  })

  it.each(codeBlocks.filter(({ page, language }) => page.startsWith('docs/metrics/') && language === 'sql'))(
    '$place has rows for its query',
    async ({ page, text }) => {
      const rows = await rowsOf(text.replace(/;\s*$/, '').replaceAll("'data/", `'${dataDir}/`))
      // The history of metrics begins with the first change after a release.
      expect(rows.length).toBeGreaterThanOrEqual(page === 'docs/metrics/history.md' ? 0 : 4)
    },
  )
})

const answerSchema = z.object({ data: z.array(z.record(z.string(), z.unknown())) })
async function ask(address: string): Promise<Record<string, unknown>[]> {
  const answer = await fetch(service.url + address, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status, address).toBe(200)
  return answerSchema.parse(await answer.json()).data
}

test('addresses within sentences answer', async () => {
  const asked = inlineCode.flatMap(({ text }) => /^(?:GET )?(\/v1\/[a-z/-]+\?[^<…]*[^=])$/.exec(text)?.[1] ?? [])
  const addresses = asked.filter((address) => !address.startsWith('/v1/series?metrics='))
  expect(addresses.length).toBeGreaterThanOrEqual(2)
  const headers = { authorization: `Bearer ${key}` }
  const answers = addresses.map(async (address) => [address, (await fetch(service.url + address, { headers })).status])
  expect(await Promise.all(answers)).toEqual(addresses.map((address) => [address, 200]))
})

test('bodies below charts are those that draw their templates', () => {
  const shown = [...pages].flatMap(([page, text]) =>
    page.startsWith('docs/charts/')
      ? [...text.matchAll(/^<a id="(\w+)">[\s\S]*?^```json\n([\s\S]*?)^```$/gm)].map(([, name = '', json = '']) => [
          name,
          JSON.parse(json),
        ])
      : [],
  )
  const bodies = Object.entries(templates).map(([name, template]) => [name, templateBody(template)])
  expect(Object.fromEntries(shown)).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(bodies))))
})

describe('docs/api.md', () => {
  const programs = [
    {
      language: 'js',
      command: process.execPath,
      flags: ['--input-type=module', '--eval'],
      countRows: (path: string, asked: string) =>
        `let n = 0\nfor await (const _ of rows('${path}', ${asked})) n++\nconsole.log(n, 'rows')`,
    },
    {
      language: 'python',
      command: python,
      flags: ['-c'],
      countRows: (path: string, asked: string) => `print(sum(1 for _ in rows("${path}", **${asked})), "rows")`,
    },
  ].filter(({ language }) => language === 'js' || canImport('urllib'))

  it.each(programs)('asks in $language, reads all pages, and says what is cut or refused', async (one) => {
    const program = here(blockWith(one.language, '"/v1/series"') || blockWith(one.language, "'/v1/series'"))
    const ask = (text: string, usedKey: string) =>
      run(one.command, [...one.flags, text], { env: { ...process.env, COINSTRATA_API_KEY: usedKey } })
    const thousands = '{"start_date": "2026-01-01", "fields": "supply"}'
    const [whole, basic, cut, refused] = await Promise.all([
      ask(`${program}\n${one.countRows('/v1/cost-basis', thousands)}`, key),
      ask(program, ''),
      ask(`${program}\n${one.countRows('/v1/series', '{"metrics": "price", "start_date": "2009-01-03"}')}`, '').catch(
        String,
      ),
      ask(program, 'cs_unknown').catch(String),
    ])
    const countOf = async (table: string, where: string): Promise<number> =>
      Number((await rowsOf(`SELECT count(*) FROM '${currentFolder(dataDir)}/${table}.parquet' WHERE ${where}`))[0]?.[0])
    const threeDays = /^(\d{4}-\d\d-\d\d [\d.]+ [\d.]+\n){3}/
    expect(basic.stdout.replace(threeDays, '')).toBe('')
    const rows = await countOf('cost_basis', "date >= '2026-01-01'")
    expect(rows).toBeGreaterThan(10_000)
    expect(whole.stdout.replace(threeDays, '').split('\n')).toEqual([
      expect.stringMatching(`^${await countOf('metrics_valuation', 'mvrv < 1')} days on which`),
      `${rows} rows`,
      '',
    ])
    expect(cut).toMatch(/only a part: .*history_limited_to/)
    expect(refused).toMatch(/401 .*key/)
  })

  it('names all that answers say about themselves, and shows answers that are cut or refused as they come', async () => {
    const rows = [...(pages.get('docs/api.md') ?? '').matchAll(/^\| `(\w+)` \|.*\|$/gm)].map(([, name]) => name)
    expect(rows).toEqual(expect.arrayContaining(Object.keys(metaSchema.shape)))
    const cut = JSON.parse(blockWith('json', '"history_limited_to"'))
    const refused = JSON.parse(blockWith('json', '"missing_api_key"'))
    const answers = ['price,sopr&start_date=2009-01-03', 'sopr'].map(async (metrics) =>
      (await fetch(`${service.url}/v1/series?metrics=${metrics}`)).json(),
    )
    const [cutNow, refusedNow] = await Promise.all(answers)
    // The page shows one row of simulated data.
    expect(shapeOf(cutNow)).toEqual(shapeOf({ ...cut, meta: { ...cut.meta, simulated: true } }))
    expect([cutNow.count, cutNow.meta.withheld]).toEqual([cut.count, cut.meta.withheld])
    expect({ ...refusedNow, timestamp: refused.timestamp }).toEqual(refused)
  })

  it('listens to events as browsers do', async () => {
    const program = here(blockWith('js', 'EventSource'))
    const child = spawn(process.execPath, ['--experimental-eventsource', '--eval', program])
    try {
      const [printed] = await once(child.stdout, 'data')
      const [newest] = await ask('/v1/prices?limit=1')
      expect(String(printed).trim()).toBe(newest?.date)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('receives a webhook on this machine', async () => {
    const sending = await serve(dataDir, { ...withoutLimits, WEBHOOKS: 'any' })
    await createAccount({ DATA_DIR: dataDir }, 'hooks@example.org', 'pro', password)
    const program = blockWith('js', '/v1/webhooks')
      .replaceAll('http://127.0.0.1:3000', sending.url)
      .replaceAll('4000', String(await freePort()))
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, ACCOUNT_PASSWORD: password },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      let printed = ''
      for await (const text of child.stdout) {
        printed += String(text)
        if (printed.includes('"type":"test"')) break
      }
      expect(printed).toMatch(/^signed with whsec_\S+\nmsg_\S+ \{"type":"test"/)
    } finally {
      child.kill('SIGKILL')
      await sending.close()
    }
  })

  const body = '{"type":"test"}'
  const secret = Buffer.from('a secret of 24 bytes, or')
  const sent = createSignatureHeaders('msg_1', Date.now(), body, [secret])

  it('tells messages of its own from others in TypeScript', async () => {
    const file = path.join(folder, 'webhook.ts')
    writeFileSync(file, blockWith('ts', 'isFromCoinstrata'))
    const { isFromCoinstrata } = await import(pathToFileURL(file).href)
    const text = `whsec_${secret.toString('base64')}`
    expect(isFromCoinstrata(sent, body, text)).toBe(true)
    expect(isFromCoinstrata(sent, `${body} `, text)).toBe(false)
    const old = createSignatureHeaders('msg_1', Date.now() - 301_000, body, [secret])
    expect(isFromCoinstrata(old, body, text)).toBe(false)
  })

  it.skipIf(!canImport('base64'))('and in Python', async () => {
    const trial = `${blockWith('python', 'is_from_coinstrata')}
headers, secret = ${JSON.stringify(sent)}, "whsec_${secret.toString('base64')}"
print(is_from_coinstrata(headers, b'${body}', secret), is_from_coinstrata(headers, b'${body} ', secret))`
    const { stdout } = await run(python, ['-c', trial])
    expect(stdout).toBe('True False\n')
  })

  it.skipIf(!canImport('fsspec', 'aiohttp', 'pandas', 'polars', 'pyarrow'))('reads tables in Python', async () => {
    const program = `${here(blockWith('python', 'fsspec'))}\nprint(len(prices), mvrv.num_rows, len(closes))`
    const { stdout } = await run(python, ['-c', program])
    const [[prices]] = (await rowsOf(`SELECT count(*) FROM '${currentFolder(dataDir)}/prices.parquet'`)) as [[string]]
    expect(stdout.trim().split(' ')).toEqual([prices, expect.stringMatching(/^\d+$/), prices])
  })
})

describe('docs/verification.md', () => {
  it('computes the published hashes of some days', async () => {
    const statement = blockWith('sql', '-- day_hashes').replaceAll("'data/", `'${dataDir}/`)
    await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
      const rows = (await connection.runAndReadAll(statement)).getRowsJson()
      const published = `FROM '${currentFolder(dataDir)}/day_hashes.parquet' WHERE date BETWEEN '2021-11-08' AND '2021-11-10'`
      expect(rows).toEqual(await rowsOf(`${published} ORDER BY date`))
      expect(rows.length).toBe(3)
    })
  })
})

describe('docs/alerts.md', () => {
  it('tries and creates an alert', async () => {
    const { stdout } = await run('sh', ['-c', here(blockWith('sh', '/v1/alerts/trial'))])
    const [trial, created] = stdout.split(/(?<=})(?={)/).map((text) => JSON.parse(text).data[0])
    expect([trial.summary, trial.count]).toEqual(['mvrv is above 3.5', trial.fired.length])
    expect(created).toMatchObject({ summary: trial.summary, webhook: { host: 'ntfy.sh', format: 'ntfy' }, fired: 0 })
  })
})

describe('docs/assistants.md', () => {
  it('shows what the tool answers now, but for the values', async () => {
    const assistant = await http.connect(service, key)
    const answer = await assistant.ask('get_holder_valuation', { fields: ['mvrv'], rows: 'none' })
    await assistant.close()
    expect(shapeOf(answer)).toEqual(shapeOf(JSON.parse(blockWith('json', '"statistics"'))))
  })

  it('configures assistants with settings that there are', () => {
    const json = JSON.parse(blockWith('json', 'mcpServers'))
    expect([...settingNames]).toEqual(expect.arrayContaining(Object.keys(json.mcpServers.coinstrata.env)))
    // The others are objects in a table.
    const entries = inlineCode.filter(({ text }) => text.startsWith('"coinstrata": '))
    expect(entries.length).toBeGreaterThanOrEqual(3)
    for (const { text } of entries) {
      const { coinstrata } = JSON.parse(`{${text}}`)
      expect(coinstrata.url ?? coinstrata.httpUrl).toBe('http://127.0.0.1:3000/mcp')
      expect(coinstrata.headers).toEqual({ Authorization: 'Bearer KEY' })
    }
  })

  it('gives the address and the header by which the tools answer', async () => {
    const lines = inlineCode.filter(({ text }) => text.startsWith('claude mcp add --transport http '))
    expect(lines.length).toBeGreaterThanOrEqual(2)
    for (const { text } of lines) {
      const [, url = '', name = '', value = ''] = /(http:\S+) --header "(\w+): (.*)"$/.exec(text) ?? []
      const answer = await fetch(here(url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          [name]: value.replace('KEY', key),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialization }),
      })
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"serverInfo"')])
    }
  })
})

const initialization = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

/** Names of fields, with arrays as their first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])]
  if (value === null || typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]))
}
