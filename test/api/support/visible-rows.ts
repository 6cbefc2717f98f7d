import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import { chain, keys, serveChain, server } from './chain-service.ts'
import { addEarlierGeneration, firstDay, lastDay } from './served-chain.ts'
import { signIn } from './test-server.ts'

export let headers: ReadonlyMap<Tier, Record<string, string>>
export let gradeOf: ReadonlyMap<string, number>
export const allTiers = ['demo', 'free', 'pro', 'enterprise'] as const

/** Serves the chain with two generations to callers of all tiers. */
export function serveTiers(): void {
  serveChain()
  beforeAll(async () => {
    await addEarlierGeneration(chain.dataDir)
    // Accounts of tier free have no keys: they see their history signed in.
    const cookie = await signIn(server, chain.dataDir, 'free@example.org')
    headers = new Map([...keys, ['free', { ...keys.get('demo')!, cookie }]])
    const definitions = await ask(`${endpoints.metrics.path}?variants=all&format=json`, 'enterprise')
    const graded = z.array(z.object({ id: z.string(), endpoint: z.string(), field: z.string(), grade: z.number() }))
    gradeOf = new Map(
      graded.parse(definitions.data).flatMap(({ id, endpoint, field, grade }) => [
        [`${endpoint.replace(/\?.*/, '')} ${field}`, grade],
        [id, grade],
      ]),
    )
  })
}

type Row = Readonly<Record<string, unknown>>
const answerSchema = z.object({
  // Checked cell by cell below: a schema of each would take longer than all else here.
  data: z.custom<readonly Row[]>(Array.isArray).default([]),
  meta: z.object({ history_limited_to: z.string().optional() }).default({}),
  message: z.string().optional(),
})

export async function ask(target: string, tier: Tier) {
  const response = await fetch(server.url + target, { headers: headers.get(tier)! })
  return { status: response.status, ...answerSchema.parse(await response.json()) }
}

/** Dates and limit of a request. */
interface Asked {
  readonly start_date?: string
  readonly end_date?: string
  readonly limit?: string
}

/** The day so many days before the last one. */
export const before = (days: number): string => isoDate(lastDay - days)

/** An endpoint's path and query, made of the examples in the contract. */
function exampleOf(endpoint: Endpoint): { target: string; missing: string[] } {
  const missing: string[] = []
  const exampleIn = (schema: z.core.$ZodType, name: string): string | undefined => {
    const example = z.globalRegistry.get(schema)?.example
    if (example !== undefined) return String(example)
    if (!z.safeParse(schema, undefined).success) missing.push(name)
    return undefined
  }
  const path = endpoint.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => exampleIn(endpoint.pathParameters.shape[name]!, name) ?? '',
  )
  const query = Object.entries(endpoint.query.shape).flatMap(([name, schema]) => {
    const example = exampleIn(schema, name)
    return example === undefined ? [] : [[name, example]]
  })
  return { target: `${path}?${new URLSearchParams(query)}`, missing }
}

const declareIt = 'in its declaration in contract/endpoints/'
const cutIt = 'Make the rows from view.visibleDays(range) or view.page(range), as daysAnswer and keyedAnswer do'

/** Rows that an answer may not have, each with what to do about it. */
function problemsOf(endpoint: Endpoint, tier: Tier, asked: Asked, rows: readonly Row[]): string[] {
  const { history, undated, access, path } = endpoint
  const who = `${path} for tier ${tier}, asked with ${JSON.stringify(asked)}`
  const problems = new Set<string>()
  const obeysLimit = 'start_date' in endpoint.query.shape && (asked.start_date === undefined || undated !== undefined)
  if (obeysLimit && rows.length > Number(asked.limit ?? 100)) {
    problems.add(`${who}, answers ${rows.length} rows, more than limit. ${cutIt}.`)
  }
  const openToAll = access === 'anyone' || (history !== undefined && 'all' in history)
  const first = isoDate(Math.max(firstDay, lastDay - tiers[tier].historyDays + 1))
  const id = idOf(path)
  const gradesHere = new Map<string, number>()
  for (const row of rows) {
    for (const field of Object.keys(row)) {
      const grade = gradesHere.get(field) ?? gradeOf.get(`${id} ${field}`) ?? gradeOf.get(field) ?? 0
      gradesHere.set(field, grade)
      if (grade <= tiers[tier].grade || row[field] === null) continue
      problems.add(`${who}, shows ${field} of grade ${grade}. Read it by view.split and view.valuesOf.`)
    }
    if (openToAll) continue
    const days = ['date', 'date_processed'].filter((name) => name in row)
    if (days.length === 0) {
      problems.add(
        `${who}, has rows without a date, so nobody can tell whether tier ${tier} may see them. Give them the field date, or say history: { all: 'why everybody may see all of it' } ${declareIt}.`,
      )
    }
    for (const name of days) {
      const day = row[name]
      if (day === null) continue
      if (typeof day !== 'string') problems.add(`${who}, has ${name} ${day}, which is no date.`)
      else if (day < first) {
        problems.add(
          `${who}, shows ${name} ${day}, but the history of the tier begins on ${first}. ${cutIt}, or say history: { all: 'why everybody may see all of it' } ${declareIt}.`,
        )
      } else if (undated === undefined && (day < (asked.start_date ?? day) || day > (asked.end_date ?? day))) {
        problems.add(
          `${who}, shows ${name} ${day}. ${cutIt}, or say undated: 'why the dates mean nothing' ${declareIt}.`,
        )
      }
    }
  }
  return [...problems]
}

const idOf = (path: string): string => exampleOf(byPath.get(path)!).target.replace(/^\/v1\/|\?.*$/g, '')
export const byPath = new Map<string, Endpoint>(Object.values(endpoints).map((endpoint) => [endpoint.path, endpoint]))

/** Asks every endpoint with these dates and limits as each tier, and looks at each row. */
export function testVisibleRows(requests: readonly Asked[]): void {
  test.each([...byPath.values()].map((endpoint) => ({ path: endpoint.path, endpoint })))(
    '$path shows each tier its history, its grades, and the dates and limit asked for',
    async ({ endpoint }) => {
      const { target, missing } = exampleOf(endpoint)
      expect(
        missing,
        'give these parameters an example in contract/parameters.ts, so that they can be asked for',
      ).toEqual([])
      const isDated = 'start_date' in endpoint.query.shape
      const { history, undated, access } = endpoint
      const openToAll = access === 'anyone' || (history !== undefined && 'all' in history)
      const problems: string[] = []
      let rowsSeen = 0
      for (const asked of isDated ? requests : [{}]) {
        const url = `${target}&${new URLSearchParams(Object.entries(asked))}`
        const answers = new Map(await Promise.all(allTiers.map(async (tier) => [tier, await ask(url, tier)] as const)))
        for (const [tier, { status, data, meta, message }] of answers) {
          if (status !== 200) {
            const refused = status === 401 || (status === 403 && tier !== 'enterprise')
            if (!refused) problems.push(`${url} for tier ${tier} answers ${status}: ${message}`)
            continue
          }
          if (access === 'pro' && tiers[tier].grade < tiers.pro.grade) problems.push(`${url} serves tier ${tier}`)
          rowsSeen += data.length
          problems.push(...problemsOf(endpoint, tier, asked, data))
          const first = Math.max(firstDay, lastDay - tiers[tier].historyDays + 1)
          const reachesFurther = asked.start_date !== undefined && asked.start_date < isoDate(first)
          if (!openToAll && first > firstDay && reachesFurther && meta.history_limited_to !== isoDate(first)) {
            problems.push(
              `${url} for tier ${tier} does not say in meta.history_limited_to that its history begins on ${isoDate(first)}. historyMeta makes it.`,
            )
          }
          if (openToAll && !isSame(data, answers.get('enterprise')?.data)) {
            problems.push(`${url} is declared open to all, but tier ${tier} sees other rows than tier enterprise.`)
          }
        }
        if (undated === undefined && asked.start_date !== undefined && asked.limit !== undefined) {
          const { limit: _, ...unlimited } = asked
          const whole = await ask(`${target}&${new URLSearchParams(Object.entries(unlimited))}`, 'enterprise')
          if (answers.get('enterprise')?.data.length !== whole.data.length) {
            problems.push(`${url} obeys limit although start_date is given. ${cutIt}.`)
          }
        }
      }
      expect(problems.slice(0, 8)).toEqual([])
      expect(
        rowsSeen,
        'no tier got a row, so nothing is checked: give it data in support/served-chain.ts',
      ).toBeGreaterThan(0)
    },
    60_000,
  )
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Compares the latest values of cohorts, of the metrics at these places, with the series. */
export function testLatestOfCohorts(isWanted: (place: number) => boolean): void {
  test('the latest values include those of cohorts on request, as the series have them', async () => {
    const path = `${endpoints.latest.path}?end_date=${before(7)}`
    for (const tier of ['demo', 'pro'] as const) {
      const whole = Object.assign({}, ...(await ask(path, tier)).data)
      const all = Object.assign({}, ...(await ask(`${path}&cohorts=true`, tier)).data)
      const added = Object.keys(all).filter((id) => !(id in whole))
      expect(added.length).toBeGreaterThan(tier === 'demo' ? 300 : 700)
      expect(all).toMatchObject(whole)
      const wanted = added.filter((_, place) => isWanted(place))
      for (let i = 0; i < wanted.length; i += 50) {
        const ids = wanted.slice(i, i + 50)
        const series = `${endpoints.series.path}?metrics=${ids}&start_date=${before(7)}&end_date=${before(7)}`
        const [row] = (await ask(series, tier)).data
        expect(row).toEqual({ date: before(7), ...Object.fromEntries(ids.map((id) => [id, all[id]])) })
      }
    }
  })
}
