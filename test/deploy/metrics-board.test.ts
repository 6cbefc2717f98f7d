import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { dataDir, key, serveDemo, service } from '#test/mcp/support/demo-service.ts'
import { rowsOf } from '#test/support/published.ts'

const deploy = path.join(import.meta.dirname, '../../deploy/grafana')
const sourceType = z.literal('yesoreyeram-infinity-datasource')
const datasource = z.strictObject({ type: sourceType, uid: z.literal(`\${source}`) })

/** The part of a panel and of a query of the Infinity data source that decides what is requested and shown. */
const boardSchema = z.object({
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      datasource,
      gridPos: z.strictObject({ h: z.int(), w: z.int().max(24), x: z.int().max(23), y: z.int() }),
      targets: z
        .array(
          z.object({
            datasource,
            type: z.literal('json'),
            source: z.literal('url'),
            parser: z.literal('backend'),
            format: z.literal('table'),
            url: z.string().startsWith('/v1/'),
            url_options: z.object({ method: z.literal('GET') }),
            root_selector: z.literal('data'),
            columns: z.array(
              z.object({ selector: z.string(), text: z.string(), type: z.enum(['timestamp', 'number']) }),
            ),
          }),
        )
        .length(1),
    }),
  ),
})
const board = boardSchema.parse(JSON.parse(readFileSync(path.join(deploy, 'dashboards/metrics.json'), 'utf8')))
const metric = board.templating.list.find(({ name }) => name === 'metric')!.query

/** As Grafana replaces them. */
const fill = (text: string, from: string, to: string): string =>
  text
    .replaceAll(`\${__from:date:YYYY-MM-DD}`, from)
    .replaceAll(`\${__to:date:YYYY-MM-DD}`, to)
    .replaceAll(`\${metric}`, metric)

serveDemo()

it('reads with the key of the operator from the service of compose.yaml', () => {
  const text = readFileSync(path.join(deploy, 'provisioning/datasources/coinstrata.yml'), 'utf8')
  expect(parse(text).datasources).toEqual([
    expect.objectContaining({
      type: 'yesoreyeram-infinity-datasource',
      url: 'http://coinstrata:3000',
      jsonData: { auth_method: 'bearerToken', allowedHosts: ['http://coinstrata:3000'] },
      secureJsonData: { bearerToken: '$COINSTRATA_KEY' },
    }),
  ])
})

it.each(board.panels)('the panel $title shows what the service answers', async ({ targets: [target] }) => {
  const [range] = await rowsOf(
    `SELECT (max(date) - 730)::VARCHAR, max(date)::VARCHAR FROM '${dataDir}/published/current/days.parquet'`,
  )
  const [from, to] = z.tuple([z.string(), z.string()]).parse(range)
  const url = fill(target!.url, from, to)
  expect(url).not.toContain('$')
  const response = await fetch(service.url + url, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status, await response.clone().text()).toBe(200)
  const { data } = z.object({ data: z.array(z.record(z.string(), z.unknown())) }).parse(await response.json())
  const [time, ...columns] = target!.columns
  expect(time).toEqual({ selector: 'date', text: 'Time', type: 'timestamp' })
  // The whole range, not a page of it.
  expect([data.length, data.at(-1)?.date, data[0]?.date]).toEqual([731, from, to])
  for (const { selector } of columns) {
    expect(typeof data[0]?.[fill(selector, '', '')], selector).toBe('number')
  }
})
