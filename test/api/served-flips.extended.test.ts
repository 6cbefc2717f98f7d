import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { textTable } from '#base/text-table.ts'
import { currentGeneration } from '#sql/generation.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { Random } from '#test/support/random.ts'
import { trials } from '#test/support/trials.ts'
import { isWide, requests } from './support/endpoint-answers.ts'
import { addEarlierGeneration, makeServedChain, type ServedChain } from './support/served-chain.ts'
import { headersByTier, serve, type TestServer, withoutLimits } from './support/test-server.ts'
import { fillWorld, firstValuesAsOf } from './support/twin-worlds.ts'

/**
 * Two servers of the same data, one of whose files bits are flipped while it runs: each of its
 * answers must be that of the other, or a refusal.
 */
const rounds = trials(10, 20)
const flipsPerRound = 20
/** Flips of each second round before the server starts. */
const earlyFlips = 4

const random = new Random(61)
const some = <T>(items: readonly T[]): T => items[random.between(0, items.length - 1)]!

const chart = (query: string): string[] =>
  ['svg', 'csv', 'rows', 'spec', 'json'].map((format) => `/v1/chart/snapshot?${query}&format=${format}`)
const charts = ['metric=mvrv', 'metric=price&interval=week', 'formula=price/sma(price,7)'].flatMap(chart)

let chain: ServedChain
let damagedDir: string
let intact: TestServer
let headers: Record<string, string>
/** Requests that read a kind of files, by the beginning of their names. */
let readers: Readonly<Record<string, readonly string[]>>
const answers = new Map<string, Promise<Answer>>()
const noCount = { flips: 0, same: 0, refused: 0 }
const beforeStart = 'all, before the server starts'
const counts = new Map<string, { flips: number; same: number; refused: number }>()

beforeAll(async () => {
  chain = await makeServedChain()
  const earlier = await addEarlierGeneration(chain.dataDir)
  await fillWorld(chain.dataDir)
  headers = (await headersByTier(chain.dataDir)).get('enterprise')!
  damagedDir = `${chain.dataDir}-damaged`
  const { id, tables } = currentGeneration(chain.dataDir)!.generation
  const files = Object.keys(tables).map((name) => `/v1/tables/${name}.parquet`)
  const endpoints = requests.filter((one) => !isWide(one)).map(([target]) => target)
  const withParameter = (target: string, parameter: string) =>
    `${target}${target.includes('?') ? '&' : '?'}${parameter}`
  const inFormats = (targets: readonly string[]) =>
    targets.flatMap((target) => ['json', 'csv', 'parquet'].map((format) => withParameter(target, `format=${format}`)))
  const series = ['metrics=price,mvrv', 'formula=mvrv*2', 'metrics=realized_profit&order=asc'].map(
    (query) => `/v1/series?${query}`,
  )
  const fine = ['metrics=mvrv&interval=block', 'metrics=price,realized_profit&interval=1h'].map(
    (query) => `/v1/series?${query}`,
  )
  readers = {
    [`published/${id}/`]: [...files, ...inFormats(endpoints), ...charts],
    [`published/${earlier}/`]: [
      ...files.map((target) => `${target}?generation=${earlier}`),
      ...inFormats(
        [...series, '/v1/prices', '/v1/holder/supply'].map((target) => withParameter(target, `generation=${earlier}`)),
      ),
      '/v1/revisions?metric=mvrv',
      '/v1/series?metrics=mvrv&as_of=2016-01-01',
    ],
    'published/live/after': [...inFormats(fine), ...chart('metric=mvrv&interval=block')],
    'published/live/': inFormats(['/v1/today']),
    'first_published/': inFormats(
      [...series.filter((target) => !target.includes('formula')), '/v1/prices'].map((target) =>
        withParameter(target, `as_of=${firstValuesAsOf}`),
      ),
    ),
    'state/renders/': charts,
  }
  intact = await serve(chain.dataDir, { ...withoutLimits, CHART_DEMO: 'on' })
}, 600_000)
afterAll(async () => {
  const rows = [...counts].map(([kind, { flips, same, refused }]) => [flips, same, refused, kind].map(String))
  console.log(textTable(['flips', 'same', 'refused', 'files'], rows))
  await intact?.close()
  rmSync(damagedDir, { recursive: true, force: true })
  chain?.remove()
})

interface Answer {
  readonly status: number
  readonly body: string
  readonly id: string
}

/** Bodies without times, and addresses that the servers chose. */
async function ask({ url }: TestServer, target: string): Promise<Answer> {
  const response = await fetch(url + target, { headers })
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  const id = response.headers.get('x-render-id') ?? ''
  const body = text.replaceAll(url, '').replace(/"timestamp":"[^"]*"/, '')
  return { status: response.status, body: id === '' ? body : body.replaceAll(id, ''), id }
}

function askIntact(target: string): Promise<Answer> {
  const answer = answers.get(target) ?? ask(intact, target)
  answers.set(target, answer)
  return answer
}

/** Without values. */
const states = ['/health', '/v1/status', '/v1/tables', '/v1/metrics/index']

/** Returns `same`, `refused` or the wrong answer; `as` is the request that the other server gets. */
async function judge(server: TestServer, target: string, as = target): Promise<string> {
  const [answer, right] = [await ask(server, target), await askIntact(as)]
  if (answer.status === right.status && answer.body === right.body) return 'same'
  const { status } = answer
  const { code } = /"code":"(?<code>\w+)"/.exec(answer.body)?.groups ?? {}
  if (status === 503 && code === 'data_damaged') return 'refused'
  if (target.startsWith('/v1/chart/renders/') && status === 404 && code === 'not_found') return 'refused'
  return `${target}: ${status} ${answer.body.slice(0, 200)}`
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  )

/** Flips a random bit of a random file of the kind; about every second time keeps its mtime. */
function flip(kind: string): string | undefined {
  const [, folder = '', rest = ''] = /^(.*\/)(.*)$/.exec(kind)!
  const at = path.join(damagedDir, folder)
  const files = existsSync(at) ? listFiles(at) : []
  const served = files.filter((file) => {
    const name = path.basename(file)
    const isAfter = name.startsWith('after-')
    return statSync(file).size > 0 && (kind.startsWith('published/live/') ? isAfter === (rest !== '') : true)
  })
  if (served.length === 0) return undefined
  const file = some(served)
  const bit = random.between(0, 8 * statSync(file).size - 1)
  if (random.next() < 0.5) flipBit(file, bit >> 3, 1 << (bit & 7))
  else {
    const bytes = readFileSync(file)
    bytes[bit >> 3]! ^= 1 << (bit & 7)
    writeFileSync(file, bytes)
  }
  return path.relative(damagedDir, file)
}

test('flips of served files: nothing is served wrong, and nothing as a fault', async () => {
  const wrong: string[] = []
  const [current, earlier] = Object.keys(readers)
  const renders = 'state/renders/'
  const others = Object.keys(readers).slice(2)
  const kinds = [...Array(7).fill(current), ...Array(4).fill(earlier), ...others, ...others.toReversed().slice(0, 2)]
  for (let round = 0; round < rounds; round++) {
    rmSync(damagedDir, { recursive: true, force: true })
    for (const name of ['published', 'first_published', 'state'])
      cpSync(path.join(chain.dataDir, name), path.join(damagedDir, name), { recursive: true, verbatimSymlinks: true })
    rmSync(path.join(damagedDir, renders), { recursive: true, force: true })
    const flipped: string[] = []
    const early = round % 2 === 1 ? earlyFlips : 0
    for (let i = 0; i < early; i++) flipped.push(flip(some(kinds.filter((kind) => kind !== renders)))!)
    counts.set(beforeStart, { ...noCount, flips: (counts.get(beforeStart)?.flips ?? 0) + early })
    const server = await serve(damagedDir, { ...withoutLimits, CHART_DEMO: 'on' })
    try {
      for (let i = early; i < flipsPerRound; i++) {
        const kind = some(kinds)
        // Charts are removed when a table is withdrawn.
        const pictures: (readonly [target: string, as: string])[] = []
        for (const target of kind === renders ? charts.filter((name) => name.endsWith('svg')) : []) {
          const { id } = await ask(server, target)
          if (id !== '') pictures.push([`/v1/chart/renders/${id}.svg`, target])
        }
        const file = flip(kind) ?? flip(current!)!
        flipped.push(file)
        const count = counts.get(kind) ?? { ...noCount }
        counts.set(kind, count)
        count.flips++
        const own = readers[kind]!
        const whole = own.find((target) => target.includes(`/tables/${path.basename(file)}`)) ?? some(own)
        const targets: (readonly [target: string, as?: string])[] = [[whole], [some(own)], [some(readers[current!]!)]]
        targets.push(...(pictures.length > 0 ? pictures : [[some(readers[some(kinds)]!)] as const]))
        for (const [target, as] of targets) {
          const verdict = await judge(server, target, as)
          if (verdict === 'same') count.same++
          else if (verdict === 'refused') count.refused++
          else wrong.push(`${verdict} (round ${round}: ${flipped.join(' ')})`)
        }
        const { status } = await ask(server, some(states))
        if (status >= 500 && status !== 503) wrong.push(`status ${status} after ${file}`)
      }
    } finally {
      await server.close()
    }
  }
  expect(wrong).toEqual([])
  const total = (of: 'flips' | 'refused') => [...counts.values()].reduce((sum, count) => sum + count[of], 0)
  expect(total('flips')).toBe(rounds * flipsPerRound)
  for (const { flips } of counts.values()) expect(flips).toBeGreaterThan(5)
  expect(total('refused')).toBeGreaterThan(20 * rounds)
})
