import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentGeneration } from '#sql/generation.ts'
import { Documented } from '#test/api/support/documented.ts'
import { bearer, keyOf, serve, signIn, type TestServer, withoutLimits } from '#test/api/support/test-server.ts'
import { Visitor } from '#test/api/support/visitor.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { computeFolder } from '#test/support/made-folder.ts'
import { addressOf, coinstrata, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedGenerations } from '#test/support/published-generations.ts'

const folder = temporaryFolder('own-metrics')
const dataDir = path.join(folder, 'data')
const [chain] = await publishedGenerations()
let server: TestServer
let headers: Record<string, string>

beforeAll(async () => {
  copyFolder(chain!.dataDir, dataDir)
  mkdirSync(path.join(dataDir, 'metrics'))
  server = await serve(dataDir, { ...withoutLimits, MAX_AGE: '99999d' })
  headers = bearer(await keyOf(dataDir, 'enterprise'))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const definition = {
  id: 'twice_mined',
  title: 'Blocks, counted twice',
  formula: '2 * blocks_mined',
  unit: 'count',
  description: 'Each block counts twice.',
}
const define = (changes: object, name = 'twice.json'): void =>
  writeFileSync(path.join(dataDir, 'metrics', name), JSON.stringify({ ...definition, ...changes }))
const ask = (target: string) => fetch(`${server.url}${target}`, { headers })
const readColumn = async (id: string): Promise<(number | null)[]> => {
  const { data } = await (await ask(`/v1/series?metrics=${id}&start_date=2009-01-01`)).json()
  return data.map((row: Record<string, number | null>) => row[id])
}
/** Publishes, and waits until the same server serves it. */
async function publish(): Promise<readonly string[]> {
  const { generation } = await computeFolder(dataDir, chain!.blocks)
  await expect
    .poll(async () => (await (await ask('/v1/series?metrics=blocks_mined&limit=1')).json()).meta.generation)
    .toBe(generation?.id)
  return generation?.notes ?? []
}

describe('a metric of the operator', () => {
  it('is served, found, charted, exported and watched after the next publication, without a restart', async () => {
    define({})
    expect((await ask('/v1/series?metrics=twice_mined')).status).toBe(404)
    expect((await publish()).filter((note) => note.includes('.json'))).toEqual([])

    const mined = await readColumn('blocks_mined')
    expect(mined.length).toBeGreaterThan(1)
    expect(await readColumn('twice_mined')).toEqual(mined.map((blocks) => 2 * blocks!))
    const [metric] = (await (await ask('/v1/metrics/twice_mined')).json()).data
    expect(metric).toMatchObject({ category: 'own', source: 'the operator of this service', style: 'bar', grade: 0 })
    const { data: found } = await (await ask('/v1/metrics?q=counted%20twice')).json()
    expect(found[0].id).toBe('twice_mined')

    const chart = await ask('/v1/chart/snapshot?metric=twice_mined&days=7&format=rows')
    expect([chart.status, JSON.stringify(await chart.json())]).toEqual([200, expect.stringContaining('twice_mined')])
    expect((await ask('/v1/chart/snapshot?metric=twice_mined&days=7')).headers.get('content-type')).toBe('image/png')
    const file = await ask('/v1/tables/own_metrics.parquet')
    expect([file.status, (await file.text()).slice(0, 4)]).toEqual([200, 'PAR1'])
    const csv = await (await ask('/v1/series?metrics=twice_mined&format=csv&limit=1')).text()
    expect(csv).toMatch(/^date,twice_mined\r?\n\d{4}-\d\d-\d\d,\d+/)

    const visitor = new Visitor(server, await Documented.read(server.url))
    visitor.cookie = await signIn(server, dataDir, 'owner@example.org', 'pro')
    const alert = { metric: 'twice_mined', condition: { kind: 'above', value: 1e9 }, email: false } as const
    const created = await visitor.post('/v1/alerts', alert)
    expect(created.answer.data).toMatchObject([{ summary: 'twice_mined is above 1,000,000,000', is_met: false }])
  })

  it('is in every list of metrics and in what is unusual today, even if its id reads as one of a cohort', async () => {
    const ids = ['blocks_mined_lth', 'twice_mined_p2tr', 'twice_mined']
    for (const id of ids) define({ id, title: `Own ${id}` }, `${id}.json`)
    rmSync(path.join(dataDir, 'metrics', 'twice.json'), { force: true })
    await publish()
    const listOf = async (path: string): Promise<Record<string, unknown>[]> => (await (await ask(path)).json()).data
    const all = await listOf('/v1/metrics?fields=id,category,cohorts')
    expect(all.filter(({ category }) => category === 'own')).toEqual(
      ids.toSorted().map((id) => ({ id, category: 'own', cohorts: [] })),
    )
    expect(all.find(({ id }) => id === 'blocks_mined')).toMatchObject({ cohorts: [] })
    expect((await listOf('/v1/metrics/categories')).at(-1)).toEqual({ name: 'own', count: 3, metrics: ids.toSorted() })
    expect((await listOf('/v1/metrics/percentiles')).map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
    const symbols = await (await ask('/v1/udf/search?type=own')).json()
    expect(symbols.map(({ symbol }: { symbol: string }) => symbol)).toEqual(ids.toSorted())
    const { t, c } = await (await ask('/v1/udf/history?symbol=twice_mined&resolution=1D&to=4000000000')).json()
    const values = (await readColumn('twice_mined')).toReversed()
    expect([t.length, c]).toEqual([values.length, values])
    for (const id of ids) rmSync(path.join(dataDir, 'metrics', `${id}.json`))
    define({})
    await publish()
  })

  it('is computed again for all days after a change of its formula, and leaves with its file', async () => {
    const mined = await readColumn('blocks_mined')
    define({ formula: '3 * blocks_mined' })
    await publish()
    expect(await readColumn('twice_mined')).toEqual(mined.map((blocks) => 3 * blocks!))
    rmSync(path.join(dataDir, 'metrics', 'twice.json'))
    await publish()
    expect((await ask('/v1/series?metrics=twice_mined')).status).toBe(404)
    expect(currentGeneration(dataDir)?.generation.tables.own_metrics).toBeUndefined()
  })

  it('needs the tier of what it is computed from', async () => {
    define({ id: 'hidden_twice', title: 'Hidden twice', formula: 'hidden_profit * 2', unit: 'ratio' }, 'b.json')
    define({ id: 'hidden_profit', title: 'Hidden profit', formula: 'unrealized_profit', unit: 'USD' }, 'c.json')
    await publish()
    const [profit] = (await (await ask('/v1/metrics/unrealized_profit')).json()).data
    expect(profit.grade).toBeGreaterThan(0)
    const [own] = (await (await ask('/v1/metrics/hidden_twice')).json()).data
    expect(own.grade).toBe(profit.grade)
    const refused = await fetch(`${server.url}/v1/series?metrics=hidden_twice`)
    expect(refused.status).toBe(401)
  })

  it('that is wrong or has a built-in id is left out with a note, and stops nothing', async () => {
    define({ id: 'mvrv', title: 'Mine' }, 'b.json')
    define({ formula: 'blocks_mined +' }, 'c.json')
    define({ id: 'fine', title: 'Fine' })
    const notes = await publish()
    expect(notes.filter((note) => note.startsWith('definition left out'))).toEqual([
      expect.stringMatching(/b\.json: 'mvrv' is a metric of Coinstrata \(MVRV\).*'own_mvrv'/),
      expect.stringMatching(/c\.json: formula: the formula ends too early at position 15; /),
    ])
    expect((await (await ask('/v1/metrics/mvrv')).json()).data[0].category).toBe('valuation')

    const check = (name: string) =>
      coinstrata(['metrics', 'check', path.join(dataDir, 'metrics', name), '--data-dir', dataDir])
    expect(await check('b.json')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('own_mvrv') })
    expect(await check('twice.json')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("'fine' (Fine)") })
    const { stdout } = await coinstrata(['doctor', '--network', 'regtest', '--data-dir', dataDir])
    expect(stdout).toMatch(/problem +own metrics +b\.json: 'mvrv'/)
  })

  it('is saved over HTTP where the program serves, and published by the next update', async () => {
    rmSync(path.join(dataDir, 'metrics'), { recursive: true, force: true })
    const serving = startCoinstrata(['serve', '--port', '0', '--data-dir', dataDir])
    const saved = { ...definition, id: 'saved_metric', title: 'Saved' }
    try {
      const response = await fetch(`${await addressOf(serving)}/v1/own-metrics`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(saved),
      })
      expect([response.status, await response.json()]).toMatchObject([201, { data: [{ file: 'saved_metric.json' }] }])
    } finally {
      serving.process.kill()
      await serving.outcome
    }
    expect((await publish()).filter((note) => note.startsWith('definition left out'))).toEqual([])
    expect(await readColumn('saved_metric')).toEqual((await readColumn('blocks_mined')).map((blocks) => 2 * blocks!))
  })

  it('can be one of a cohort, by days of creation or age, served as those of other cohorts are', async () => {
    for (const name of readdirSync(path.join(dataDir, 'metrics'))) rmSync(path.join(dataDir, 'metrics', name))
    const file = (name: string): string => path.join(dataDir, 'metrics', name)
    const everything = { cohort: 'everything', title: 'everything', created: ['2009-01-03', '2100-01-01'] }
    writeFileSync(file('cohort.json'), JSON.stringify(everything))
    writeFileSync(file('wrong.json'), JSON.stringify({ ...everything, cohort: 'none', created: ['2100-01-01'] }))
    define({ id: 'whole', title: 'Whole', formula: 'supply_everything / circulating_supply', unit: 'ratio' }, 'd.json')
    const check = (name: string) => coinstrata(['metrics', 'check', file(name), '--data-dir', dataDir])
    expect(await check('cohort.json')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /: the cohort, with \d+ metrics from 'asopr_everything' to 'utxo_count_everything', is right; /,
      ),
    })
    expect(await check('wrong.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the earlier one first'),
    })
    expect((await publish()).filter((note) => note.startsWith('definition left out'))).toEqual([
      expect.stringContaining('wrong.json: created ["2100-01-01"] must be two days'),
    ])
    const query =
      'start_date=2009-01-01&metrics=supply_sats,supply_sats_everything,spent_volume,spent_volume_everything,whole'
    const { data } = await (await ask(`/v1/series?${query}`)).json()
    expect(data.length).toBeGreaterThan(1)
    for (const day of data) {
      expect(day.supply_sats_everything).toBe(day.supply_sats)
      expect(day.spent_volume_everything).toBe(day.spent_volume)
      expect(day.whole).toBe(Number(day.supply_sats) > 0 ? 1 : null)
    }
    const [metric] = (await (await ask('/v1/metrics/realized_price_everything')).json()).data
    expect(metric).toMatchObject({ category: 'own', name: 'Realized price of everything', endpoint: 'series' })
    const { data: found } = await (await ask('/v1/metrics?q=mvrv%20of%20everything')).json()
    expect(found[0].id).toBe('mvrv_everything')
    const weeks = await ask('/v1/series?metrics=supply_sats_everything,sopr_everything&interval=1w')
    expect(weeks.status).toBe(200)
    expect((await ask('/v1/chart/snapshot?metric=supply_everything&days=7&format=rows')).status).toBe(200)
    const refused = await fetch(`${server.url}/v1/series?metrics=sopr_everything`)
    expect(refused.status).toBe(401)
    expect((await (await ask('/v1/tables/cohorts.csv?limit=1')).text()).includes('everything')).toBe(false)
  })

  it('is read behind a mark of Windows; pipes, folders and a file in place of the folder stop nothing', async () => {
    const metrics = path.join(dataDir, 'metrics')
    for (const name of readdirSync(metrics)) rmSync(path.join(metrics, name))
    writeFileSync(path.join(metrics, 'a.json'), `\uFEFF${JSON.stringify(definition)}`)
    execFileSync('mkfifo', [path.join(metrics, 'pipe.json')])
    mkdirSync(path.join(metrics, 'folder.json'))
    expect((await publish()).filter((note) => note.startsWith('definition left out'))).toEqual([
      expect.stringContaining('folder.json: it cannot be read'),
      expect.stringContaining('pipe.json: it cannot be read'),
    ])
    expect((await ask('/v1/series?metrics=twice_mined&limit=1')).status).toBe(200)
    rmSync(metrics, { recursive: true })
    writeFileSync(metrics, '')
    expect((await publish()).join()).toContain('definition left out: metrics: it cannot be read')
  })
})
