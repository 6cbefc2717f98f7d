import { setTimeout } from 'node:timers/promises'
import { createAccount, createKey } from '#accounts/commands.ts'
import { paths } from '#contract/paths.ts'
import { print } from './report.ts'
import { type Child, residentBytes } from './served-demo.ts'

const chartsAtOnce = 200
const otherCharts = 10
const sampleMilliseconds = 250
const metrics = ['price', 'realized_price', 'lth_realized_price', 'sth_realized_price', 'balanced_price', 'cvdd']

/** One caller asks for 200 large charts at once; another one, meanwhile, for some of the usual size. */
export async function benchFairness(api: Child, dataDir: string): Promise<void> {
  const [many, other] = [await keyOf(dataDir, 'many@example.org'), await keyOf(dataDir, 'other@example.org')]
  const draw = async (key: string, body: object): Promise<{ status: number; milliseconds: number }> => {
    const begin = performance.now()
    const response = await fetch(`${api.url}${paths.chart}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ metrics, days: 6_000, format: 'png', ...body }),
    })
    await response.arrayBuffer()
    return { status: response.status, milliseconds: performance.now() - begin }
  }
  await draw(other, { title: 'first' })
  const large = { width: 2_400, height: 1_200, scale: 'log' }
  const flood = Array.from({ length: chartsAtOnce }, (_, i) =>
    draw(many, { ...large, title: `large ${Date.now()} ${i}` }),
  )
  let ended = false
  const all = Promise.all(flood).finally(() => {
    ended = true
  })
  const memory = sampleMemory(api, () => ended)
  const answers: { status: number; milliseconds: number }[] = []
  await setTimeout(300)
  for (let i = 0; i < otherCharts; i++) answers.push(await draw(other, { title: `other ${Date.now()} ${i}` }))
  const wasBeside = !ended
  const flooded = await all
  const drawn = flooded.filter(({ status }) => status === 200).length
  const later = flooded.filter(({ status }) => status === 503).length
  const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds))
  print({
    work: `a chart beside ${chartsAtOnce} of another caller`,
    figure: `${slowest.toFixed(0)} ms at most of ${otherCharts}`,
    beside: `${wasBeside ? 'all' : 'not all'} beside; of the others ${drawn} drawn, ${later} told to come again, ${chartsAtOnce - drawn - later} failed`,
    aim: '2000 ms',
  })
  print({ work: '', figure: `${((await memory) / 1e6).toFixed(0)} MB resident at most`, aim: '1000 MB' })
}

async function keyOf(dataDir: string, email: string): Promise<string> {
  await createAccount({ DATA_DIR: dataDir }, email, 'enterprise').catch(() => 'there is one of an earlier run')
  const text = await createKey({ DATA_DIR: dataDir }, email, 'bench')
  return text.slice(0, text.indexOf('\n'))
}

/** The greatest of the samples, in bytes. */
async function sampleMemory(api: Child, isOver: () => boolean): Promise<number> {
  let most = 0
  while (!isOver()) {
    most = Math.max(most, await residentBytes(api))
    await setTimeout(sampleMilliseconds)
  }
  return most
}
