import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { cycleFamilies } from '#contract/cycle-families.ts'
import { columnsOf, publishedTable, rowsOf } from '#test/support/published.ts'
import { type Assistant, http } from '../support/clients.ts'
import { dataDir, key, serveDemo, service } from '../support/demo-service.ts'

/**
 * Base rates and cycles as the tools report them, compared with SQL and brute force over the
 * published tables.
 */

serveDemo()
let assistant: Assistant
let stranger: Assistant
beforeAll(async () => {
  assistant = await http.connect(service, key)
  stranger = await http.connect(service)
})
afterAll(async () => {
  await assistant?.close()
  await stranger?.close()
})

const published = (name: string): string => publishedTable(dataDir, name)
const notesSchema = z.object({ notes: z.array(z.string()) })
const near = (expected: number | null | undefined) =>
  expected === null || expected === undefined ? null : expect.closeTo(expected, Math.abs(expected) < 100 ? 1 : -1)

describe('base rates', () => {
  const found = z.object({
    days: z.object({ true: z.int(), known: z.int(), intervals: z.int() }),
    afterwards: z.object({
      columns: z.array(z.string()),
      rows: z.array(z.array(z.union([z.number(), z.string(), z.null()]))),
    }),
  })

  /**
   * The table of `afterwards` from days, prices and a condition (1, 0 or null), by the definitions
   * alone.
   */
  function expectedRows([days = [], prices = [], truth = []]: (number | null)[][]) {
    const priceOn = new Map(days.map((day, row) => [day, prices[row]]))
    const known = days.flatMap((day, row) => (truth[row] === null ? [] : [{ day: day!, holds: truth[row] === 1 }]))
    const begun = known.filter(({ holds }, i) => holds && !known[i - 1]?.holds)
    return [30, 90, 365].flatMap((later) =>
      [begun, known].map((starts, i) => {
        const cases = starts.flatMap(({ day }) => {
          const [from, to] = [priceOn.get(day), priceOn.get(day + later)]
          return from && to ? [{ day, change: 100 * (to / from - 1) }] : []
        })
        const changes = cases.map(({ change }) => change).sort((one, other) => one - other)
        const apart: number[] = []
        for (const { day } of cases) if (apart.every((other) => day - other >= later)) apart.push(day)
        const half = changes.length / 2
        const median = (changes[Math.ceil(half) - 1]! + changes[Math.floor(half)]!) / 2
        const rose = (100 * changes.filter((change) => change > 0).length) / changes.length
        const numbers = [median, changes[0], changes.at(-1)].map(near)
        return [
          later,
          i === 0 ? 'condition' : 'all days',
          changes.length,
          apart.length,
          ...numbers,
          Number(rose.toFixed(1)),
        ]
      }),
    )
  }

  const metrics = () =>
    `${published('metrics_market')} JOIN ${published('metrics_profit_and_loss')} USING (date) JOIN ${published('metrics_valuation')} USING (date)`

  test.each([
    ['sth_sopr < 1', {}, ''],
    [
      'sth_sopr < 1',
      { start_date: '2014-01-01', end_date: '2021-06-30' },
      "date BETWEEN '2014-01-01' AND '2021-06-30'",
    ],
    ['mvrv > 3', { days: 3_000 }, 'date > (SELECT max(date) FROM {market}) - 3000'],
  ])('%s is compared with all days (%j)', async (condition, range, within) => {
    const answer = found.parse(await assistant.ask('find_days', { condition, ...range }))
    const inRange = within === '' ? 'true' : within.replace('{market}', published('metrics_market'))
    const columns = await columnsOf(
      `SELECT date_diff('day', DATE '1970-01-01', date), price, CASE WHEN ${inRange} THEN (${condition})::INT END
       FROM ${metrics()} ORDER BY date`,
    )
    expect(answer.afterwards.rows).toEqual(expectedRows(columns))
    expect(answer.days.known).toBe(columns[2]!.filter((one) => one !== null).length)
    const [condition30, all30] = answer.afterwards.rows
    expect(Number(all30![2])).toBeGreaterThan(Number(condition30![2]))
  })

  test('cases that overlap are not counted as independent', async () => {
    const { afterwards, days } = found.parse(await assistant.ask('find_days', { condition: 'sth_sopr < 1' }))
    const [, , , independent] = afterwards.rows.find(([later, of]) => later === 365 && of === 'condition')!
    expect(Number(independent)).toBeLessThan(days.intervals)
    expect(Number(independent)).toBeGreaterThan(0)
  })

  test('says why intervals have no outcome, and why nothing is known', async () => {
    const notes = async (given: object) => notesSchema.parse(await assistant.ask('find_days', { ...given })).notes
    const [newest = ''] = (await rowsOf(`SELECT max(date) FROM ${published('metrics_market')}`))[0]!
    const last = parseDay(newest!)
    const one = { condition: 'price > 0', start_date: isoDate(last - 100) }
    expect(await notes(one)).toContain('Not over yet (of 1 intervals): 365 days after 1.')
    expect(await notes({ condition: 'block_height >= 0', days: 10_000 })).toContain(
      'No price above 0 at the first or last day (of 1 intervals): 30 days after 1, 90 days after 1, 365 days after 1.',
    )
    const [[first] = []] = await rowsOf(`SELECT min(date) FROM ${metrics()} WHERE mvrv IS NOT NULL`)
    const early = { condition: 'mvrv > 1', start_date: '2009-01-03', end_date: '2009-12-31' }
    expect(await notes(early)).toContain(`The condition has no value in this range: from ${first} to ${newest}.`)
  })

  test('a condition that never held has base rates alone', async () => {
    const { afterwards } = found.parse(await assistant.ask('find_days', { condition: 'price < 0' }))
    expect(afterwards.rows[0]).toEqual([30, 'condition', 0, 0, null, null, null, null])
    expect(Number(afterwards.rows[1]![2])).toBeGreaterThan(1_000)
  })
})

describe('cycles', () => {
  const extreme = z.tuple([z.number(), z.string(), z.int()])
  const extremes = z.object({ highest: extreme, lowest: extreme }).nullable()
  const compared = z.object({
    day: z.int(),
    cycles: z.array(
      z.object({
        cycle: z.int(),
        start_date: z.string(),
        date: z.string().nullable(),
        value: z.number().nullable(),
        times_start: z.number().nullable(),
        provisional: z.literal(true).optional(),
        until_day: extremes,
        whole: extremes,
      }),
    ),
  })
  const six = (text: string | null): number | null => (text === null ? null : Number(Number(text).toPrecision(6)))

  describe.each(cycleFamilies)('of family %s', (family) => {
    test.each([
      ['price', undefined],
      ['mvrv', 500],
    ])('compare_cycles of %s on day %s equals SQL', async (metric, day) => {
      const answer = compared.parse(await assistant.ask('compare_cycles', { metric, family, day }))
      const rows = await rowsOf(
        `WITH known AS (SELECT date, ${metric} AS value FROM ${published(metric === 'mvrv' ? 'metrics_valuation' : 'metrics_market')}),
           last AS (SELECT max(date) AS date FROM known),
           spans AS (SELECT cycle, provisional, start_date, coalesce(end_date, (SELECT date FROM last)) AS end_date,
               start_date + ${day ?? `((SELECT date FROM last) - (SELECT max(start_date) FROM ${published('cycles')} WHERE family = '${family}'))::INT`} AS that_day
             FROM ${published('cycles')} WHERE family = '${family}')
         SELECT cycle, start_date, provisional, CASE WHEN that_day <= end_date THEN that_day END AS that_day,
           max(value) FILTER (date = that_day), max(value) FILTER (date = that_day) / max(value) FILTER (date = start_date),
           max(value) FILTER (date <= that_day), arg_max(date, value) FILTER (date <= that_day AND value IS NOT NULL),
           min(value) FILTER (date <= that_day), arg_min(date, value) FILTER (date <= that_day AND value IS NOT NULL),
           max(value), arg_max(date, value), min(value), arg_min(date, value)
         FROM spans LEFT JOIN known ON known.date BETWEEN start_date AND end_date GROUP BY ALL ORDER BY cycle DESC`,
      )
      const expected = rows.map(([cycle, start, provisional, date, value, times, ...found]) => {
        const point = (i: number) => [six(found[i]!), found[i + 1], parseDay(found[i + 1]!) - parseDay(start!)]
        const pair = (i: number) => (found[i] === null ? null : { highest: point(i), lowest: point(i + 2) })
        return {
          cycle: Number(cycle),
          start_date: start,
          date,
          value: six(value!),
          times_start: six(times!),
          ...(provisional === 'true' && { provisional: true }),
          until_day: date === null ? null : pair(0),
          whole: pair(4),
        }
      })
      expect(answer.cycles).toEqual(expected)
      expect(answer.cycles.some((one) => one.provisional)).toBe(family === 'ath')
    })

    test('boundaries and performance equal the tables', async () => {
      const boundaries = z.object({ cycles: z.array(z.looseObject({ cycle: z.int(), start_date: z.string() })) })
      const { cycles } = boundaries.parse(await assistant.ask('get_cycle_boundaries', { family }))
      const rows = await rowsOf(
        `SELECT cycle, start_date, end_date, duration_days, provisional FROM ${published('cycles')} WHERE family = '${family}' ORDER BY cycle DESC`,
      )
      expect(
        cycles.map(({ cycle, start_date, end_date, duration_days, provisional = false }) =>
          [cycle, start_date, end_date, duration_days, provisional].map((one) => (one === null ? null : String(one))),
        ),
      ).toEqual(rows)
      const performance = z.object({
        cycles: z.array(z.object({ cycle: z.string(), max: z.object({ value: z.number() }).nullable() })),
      })
      const overlaid = performance.parse(await assistant.ask('get_cycle_performance', { type: family, rows: 'none' }))
      const highest = await rowsOf(
        `SELECT 'cycle_' || cycle || if(provisional, '_provisional', ''), max(close / start_price)
         FROM ${published('cycles')} LEFT JOIN ${published('prices')} ON date >= start_date AND date <= coalesce(end_date, DATE '9999-01-01')
         WHERE family = '${family}' GROUP BY ALL ORDER BY any_value(cycle)`,
      )
      expect(overlaid.cycles.map(({ cycle, max }) => [cycle, max?.value ?? null])).toEqual(
        highest.map(([cycle, value]) => [cycle, six(value!)]),
      )
    })
  })

  test('the next halving is estimated from the blocks that are left, at the pace of the last 60 days', async () => {
    const next = 21_000 // the fifth halving of the simulated chain, which halves every 4,200 blocks
    const [[date, height, estimated, pace] = []] = await rowsOf(
      `WITH newest AS (FROM ${published('metrics_blockchain')} ORDER BY date DESC LIMIT 60),
         paced AS (SELECT (max(block_height) - min(block_height)) / 59 AS pace FROM newest)
       SELECT date, block_height, date + 1 + floor((${next} - block_height) / pace)::INT, pace
       FROM newest, paced ORDER BY date DESC LIMIT 1`,
    )
    const { next_halving } = await assistant.ask('get_cycle_boundaries')
    expect(next_halving).toEqual({
      estimated_date: estimated,
      height: next,
      blocks_left: next - Number(height),
      blocks_per_day: Number(Number(pace).toPrecision(6)),
      as_of: date,
    })
    expect(await assistant.ask('get_cycle_boundaries', { family: 'low' })).not.toHaveProperty('next_halving')
  })

  test('the provisional cycle of ath begins on the day of the highest close, and metrics leave it out', async () => {
    const [[start, highest] = []] = await rowsOf(
      `SELECT (SELECT start_date FROM ${published('cycles')} WHERE family = 'ath' AND provisional),
         (SELECT arg_max(date, close) FROM ${published('prices')})`,
    )
    expect(start).toBe(highest)
    const [[since, metric] = []] = await rowsOf(
      `SELECT max(date) - (SELECT max(start_date) FROM ${published('cycles')} WHERE family = 'ath' AND NOT provisional),
         arg_max(days_since_cycle_ath, date) FROM ${published('metrics_cycles')}`,
    )
    expect(metric).toBe(since)
  })
})

test('a free caller reads that history is cut in lists of newest values and reports too', async () => {
  const calls: [string, object][] = [
    ['get_latest_metrics', { category: 'market' }],
    ['get_ranking', { of: 'treasuries', by: 'purchases', days: 366 }],
    ['get_treasury_reports', { entity_id: 1 }],
  ]
  const cut = expect.stringContaining('This connection sees days from')
  for (const [tool, given] of calls) {
    expect(await stranger.ask(tool, { ...given }), tool).toMatchObject({ notes: expect.arrayContaining([cut]) })
    expect(await assistant.ask(tool, { ...given }), tool).toMatchObject({ notes: expect.not.arrayContaining([cut]) })
  }
})
