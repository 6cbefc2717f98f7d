import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RenderStore, type StoredChart } from '#api/charts/render-store.ts'
import type { ChartStorage } from '#api/charts/shared-charts.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { openChartPlace } from '#root/cli/chart-place.ts'
import { ramp, request } from '#test/render/small-request.ts'
import { createAdmission } from '#test/support/admission.ts'
import { flipBit } from '#test/support/flip-bit.ts'

/** The folder of charts by itself; nothing is drawn here. */

const values = ramp(10, 1, 10)
const chart: StoredChart = {
  specification: buildSpecification(request([{ values }])),
  generation: 'g',
  simulated: false,
  historyLimitedTo: undefined,
  embedFont: false,
}
const compose = async () => chart
const caller = { name: 'caller', tier: 'pro', isUnlimited: false } as const
const noPool = () => {
  throw new Error('nothing is to be drawn')
}
const keepId = async (store: RenderStore, ...request: Parameters<RenderStore['keep']>) =>
  (await store.keep(...request)).id
const minute = 60_000
const started = Date.now()

let folder: string
let logged: string
let stores: RenderStore[]

function open(): RenderStore {
  const write = (line: string) => {
    logged += line
  }
  const log = pino({ base: null }, { write })
  const store = new RenderStore(folder, createAdmission(), noPool, log)
  stores.push(store)
  return store
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: started })
  folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'coinstrata-charts-')), 'renders')
  logged = ''
  stores = []
})
afterEach(async () => {
  for (const store of stores) await store.close()
  vi.useRealTimers()
  rmSync(path.dirname(folder), { recursive: true, force: true })
})

const at = (name: string) => path.join(folder, name)
function setAge(name: string, minutes: number): void {
  const time = new Date(started - minutes * minute)
  utimesSync(at(name), time, time)
}

test('a file with a flipped bit is removed, and its chart composed again', async () => {
  for (let flip = 0; flip < 40; flip++) {
    const store = open()
    const id = await keepId(store, caller, `key ${flip}`, compose)
    expect(await store.find(id)).toEqual(chart)
    const { size } = statSync(at(`${id}.chart`))
    flipBit(at(`${id}.chart`), (flip * 7_919) % size, 1 << (flip % 8))
    expect(await store.find(id)).toBeUndefined()
    const again = await keepId(store, caller, `key ${flip}`, compose)
    expect(again).not.toBe(id)
    expect(await store.find(again)).toEqual(chart)
  }
})

describe('charts of several machines', () => {
  const other = () => {
    const admission = createAdmission()
    const store = new RenderStore(`${folder}-other`, admission, noPool, pino({ level: 'silent' }), place)
    stores.push(store)
    return store
  }
  let place: ChartStorage
  beforeEach(async () => {
    place = await openChartPlace(pathToFileURL(`${folder}-place`).href)
  })
  const open = () => {
    const write = (line: string) => {
      logged += line
    }
    const store = new RenderStore(folder, createAdmission(), noPool, pino({ base: null }, { write }), place)
    stores.push(store)
    return store
  }

  test('are known to all of them', async () => {
    const [here, there] = [open(), other()]
    const id = await keepId(here, caller, 'key', compose)
    expect(await there.has(id)).toBe(true)
    expect(await there.find(id)).toEqual(chart)
    expect(await there.has('0'.repeat(32))).toBe(false)
    await place.write('damaged', Buffer.from('no chart'))
    expect(await there.has('damaged')).toBe(false)
    expect(readdirSync(folder).sort()).toEqual([`${id}.chart`, `${id}.shared`])
  })

  test('keep an id for half an hour, so that others know it an hour after it was last told, and are removed then', async () => {
    const here = open()
    const id = await keepId(here, caller, 'key', compose)
    await expect.poll(() => place.read(id)).toBeDefined()
    setAge(`${id}.shared`, 29)
    expect(await keepId(here, caller, 'key', compose)).toBe(id)
    setAge(`${id}.shared`, 31)
    const next = await keepId(here, caller, 'key', compose)
    expect(next).not.toBe(id)
    await expect.poll(() => place.read(next)).toBeDefined()
    setAge(`${id}.shared`, 91)
    setAge(`${next}.shared`, 89)
    open()
    await expect.poll(() => place.read(id)).toBeUndefined()
    expect(await place.read(next)).toBeDefined()
  })

  test('wait no longer than a second for a store that does not answer, and then not at all', async () => {
    const silent = new Promise<never>(() => {})
    place = { name: 'silent', read: () => silent, write: () => Promise.reject(new Error('gone')), remove: () => silent }
    const here = open()
    const id = await keepId(here, caller, 'key', compose)
    expect(await here.has(id)).toBe(true)
    expect(logged.match(/charts cannot be shared through silent/g)).toHaveLength(1)
    let there = other()
    const attempt = async (): Promise<number> => {
      const begin = performance.now()
      await expect(there.has(id)).rejects.toMatchObject({ code: 'storage_unavailable', status: 503 })
      return performance.now() - begin
    }
    // On a busy machine one or the other takes longer.
    const first = [await attempt()]
    while (first.length < 5 && Math.min(...first) >= 1_500) {
      there = other()
      first.push(await attempt())
    }
    expect(Math.min(...first), first.join(', ')).toBeLessThan(1_500)
    const again = [await attempt(), await attempt(), await attempt()]
    expect(Math.min(...again), again.join(', ')).toBeLessThan(100)
  })
})

test('drawing threads start once, before the first picture or with it', async () => {
  let pools = 0
  const createPool = () => {
    pools++
    return { threads: 1, render: async () => new Uint8Array([1]), close: async () => {} }
  }
  const store = new RenderStore(folder, createAdmission(), createPool, pino({ level: 'silent' }))
  stores.push(store)
  store.startThreads()
  store.startThreads()
  await store.picture(caller, await keepId(store, caller, 'early', compose), 'png')
  expect(pools).toBe(1)
})

test('who has had its seconds of drawing in a minute is told so; what is drawn already stays', async () => {
  let drawn = 0
  const render = async () => {
    drawn++
    return new Uint8Array([drawn])
  }
  const admission = createAdmission({ RENDER_SECONDS_PER_MINUTE: '1' })
  const pool = { threads: 1, render, close: async () => {} }
  const store = new RenderStore(folder, admission, () => pool, pino({ level: 'silent' }))
  stores.push(store)
  const [one, other] = [await keepId(store, caller, 'one', compose), await keepId(store, caller, 'other', compose)]
  expect(await store.picture(caller, one, 'png')).toEqual(Buffer.of(1))
  admission.renders.spend(caller, 30)
  await expect(store.picture(caller, other, 'png')).rejects.toMatchObject({
    code: 'budget_exceeded',
    details: { budget: 'renders', tier: 'pro', limit: 1 },
  })
  expect(await store.picture(caller, one, 'png')).toEqual(Buffer.of(1))
  // Its labels are laid out to see which of them have room.
  const line = { y: 2, label: 'two' }
  const labelled = { ...chart, specification: buildSpecification(request([{ values }], { referenceLines: [line] })) }
  await expect(store.keep(caller, 'labelled', async () => labelled)).rejects.toMatchObject({ code: 'budget_exceeded' })
  expect(await store.picture({ ...caller, name: 'other' }, other, 'png')).toEqual(Buffer.of(2))
})

describe('the sweep', () => {
  test('passes over a file that is gone when it looks', async () => {
    mkdirSync(folder)
    // It is listed, and not there: as one that is renamed in between.
    symlinkSync(at('nothing'), at('.tmp-1-x.chart'))
    const store = open()
    const id = await keepId(store, caller, 'key', compose)
    vi.advanceTimersByTime(minute)
    expect(readdirSync(folder)).toContain(`${id}.chart`)
    expect(logged).toBe('')
  })

  test('makes the folder again where it is gone, and so does a new chart', async () => {
    const store = open()
    rmSync(folder, { recursive: true })
    vi.advanceTimersByTime(minute)
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
    const id = await keepId(store, caller, 'key', compose)
    expect(await store.find(id)).toEqual(chart)
    expect(logged).toBe('')
  })

  test('logs what else goes wrong, and goes on', async () => {
    const store = open()
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file in its place')
    vi.advanceTimersByTime(minute)
    expect(logged).toContain('old charts cannot be removed')
    expect(logged).toContain('EEXIST')
    rmSync(folder)
    vi.advanceTimersByTime(minute)
    expect(await store.find(await keepId(store, caller, 'key', compose))).toEqual(chart)
  })

  test('removes what is an hour old', async () => {
    const store = open()
    const [old, young] = [await keepId(store, caller, 'old', compose), await keepId(store, caller, 'young', compose)]
    setAge(`${old}.chart`, 60)
    setAge(`${young}.chart`, 58)
    vi.advanceTimersByTime(minute)
    expect(readdirSync(folder)).toEqual([`${young}.chart`])
  })

  test('comes as soon as more than 2 GiB are written, and the oldest goes', async () => {
    mkdirSync(folder)
    for (const [name, bytes, age] of [
      ['older.chart', 2 ** 30, 20],
      ['newer.chart', 2 ** 30 - 100, 10],
    ] as const) {
      writeFileSync(at(name), '')
      truncateSync(at(name), bytes)
      setAge(name, age)
    }
    const store = open()
    expect(readdirSync(folder)).toHaveLength(2)
    const id = await keepId(store, caller, 'key', compose)
    expect(statSync(at(`${id}.chart`)).size).toBeGreaterThan(100)
    expect(readdirSync(folder).sort()).toEqual([`${id}.chart`, 'newer.chart'].sort())
  })
})

describe('a chart that is asked for again', () => {
  test('keeps its id, which holds with its pictures for an hour from then', async () => {
    const store = open()
    const id = await keepId(store, caller, 'key', compose)
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32LE(crc32('<svg/>'))
    writeFileSync(at(`${id}.svg`), Buffer.concat([Buffer.from('<svg/>'), checksum]))
    vi.setSystemTime(started + 59 * minute)
    expect(await keepId(store, caller, 'key', compose)).toBe(id)
    vi.setSystemTime(started + 118 * minute)
    expect(await store.find(id)).toEqual(chart)
    expect(String(await store.picture(caller, id, 'svg'))).toBe('<svg/>')
    vi.setSystemTime(started + 120 * minute)
    expect(await store.find(id)).toBeUndefined()
    expect(await keepId(store, caller, 'key', compose)).not.toBe(id)
  })

  test('is made anew where its file is gone', async () => {
    const store = open()
    const id = await keepId(store, caller, 'key', compose)
    rmSync(at(`${id}.chart`))
    const other = await keepId(store, caller, 'key', compose)
    expect(other).not.toBe(id)
    expect(await store.find(other)).toEqual(chart)
  })

  test('many times at once is made once', async () => {
    const store = open()
    const counted = vi.fn(compose)
    const ids = await Promise.all(Array.from({ length: 20 }, () => keepId(store, caller, 'key', counted)))
    expect(counted).toHaveBeenCalledTimes(1)
    expect(readdirSync(folder)).toEqual([`${ids[0]}.chart`])
    expect(new Set(ids).size).toBe(1)
  })

  test('is tried again after a failure', async () => {
    const store = open()
    const failing = () => keepId(store, caller, 'key', () => Promise.reject(new Error('no data')))
    const outcomes = await Promise.allSettled([failing(), failing()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await store.find(await keepId(store, caller, 'key', compose))).toEqual(chart)
  })
})
