import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { writeScannedChain } from '#compute/scan/scanned-chain.ts'
import type { Schedule } from '#root/cli/schedule.ts'
import { formatIntactJson } from '#sql/intact-file.ts'
import { writeCoinComparison } from '#state/coin-proof.ts'
import { RunJournal } from '#state/run-journal.ts'
import { coinstrata } from '#test/support/program.ts'
import { results, startRpcServer } from '#test/support/rpc-server.ts'
import {
  calls,
  claim,
  claimMainnet,
  dataDir,
  due,
  everySecond,
  folder,
  forgetStarted,
  generationOf,
  plan,
  publish,
  recordUpdatedWith,
  runs,
  standIn,
  start,
  until,
  useSchedules,
} from './support/schedules.ts'

useSchedules()

const coinProof = path.resolve(import.meta.dirname, '../../state/coin-proof.ts')

describe('with AUDIT_COINS=weekly', () => {
  const proof = (at: string) => ({ height: 1, hash: 'a', date: '2024-01-01', coins: 1, sats: 1, at })

  it.each([
    ['never', undefined, true, true],
    ['eight days ago', Date.now() - 8 * 86_400_000, true, true],
    ['yesterday', Date.now() - 86_400_000, true, false],
    ['yesterday and differed', Date.now() - 86_400_000, false, false],
  ])('the coins that were compared %s are compared after the update', async (_, compared, equal, isDue) => {
    claimMainnet()
    publish()
    if (compared !== undefined) {
      const at = new Date(compared).toISOString()
      writeCoinComparison(dataDir, { at, proof: equal ? proof(at) : null })
    }
    plan('update', Date.now() - 1_000)
    // As the command does; otherwise coins are due again whenever an update ends after them.
    const comparing = `if (command === 'audit --coins') {
      const { writeCoinComparison } = await import(${JSON.stringify(coinProof)})
      writeCoinComparison(dataDir, { at: new Date().toISOString(), proof: null })
    }`
    start({ SNAPSHOT_SCHEDULE: 'off', MARKET_SOURCES: 'none', AUDIT_COINS: 'weekly' }, { program: standIn(comparing) })
    await until(() => calls().includes('end update') && (!isDue || calls().includes('end audit --coins')))
    await sleep(200)
    expect(calls().filter((call) => call === 'begin audit --coins')).toHaveLength(isDue ? 1 : 0)
  })
})

describe('a nightly run whose newest day is not yesterday', () => {
  const night = Date.parse('2024-01-03T00:30:00Z')
  const withoutNode = (): Record<string, string> => ({
    SNAPSHOT_SCHEDULE: 'off',
    BITCOIN_SOURCE: 'files',
    BITCOIN_DATADIR: path.join(folder, 'nowhere'),
  })
  /** The update of this number publishes the day that was missing. */
  const closesAt = (number: number): string =>
    `const { readFileSync } = await import('node:fs')
     const updates = readFileSync(dataDir + '/calls', 'utf8').match(/begin update/g)?.length
     const file = dataDir + '/published/one/generation.json'
     if (updates === ${number}) writeFileSync(file, ${JSON.stringify(formatIntactJson(generationOf('2024-01-02')))})`
  const begun = (): string[] => calls().flatMap((call) => (call.startsWith('begin ') ? call.slice(6) : []))
  /** True if the next run is the scheduled one, not a retry of this night. */
  const isOver = (): boolean => (due().get('update') ?? 0) > Date.now()
  const watch = (settings: Record<string, string>, program: string, most = 10, pause = 50): Schedule =>
    start(settings, { program, now: () => night, retries: { max: most, pauseMs: pause } })

  it('is made again until yesterday is closed, and fetches once', async () => {
    claimMainnet()
    publish()
    watch(withoutNode(), standIn(closesAt(3)))
    await until(isOver)
    await sleep(200)
    expect(begun()).toEqual(['fetch', 'update', 'update', 'update'])
  })

  it('is not made again for ever', async () => {
    claimMainnet()
    publish()
    watch({ ...withoutNode(), MARKET_SOURCES: 'none' }, standIn(), 2)
    await until(isOver)
    await sleep(200)
    expect(begun()).toEqual(['update', 'update', 'update'])
  })

  it('waits for a new block, for which the node is only asked', async () => {
    const [old, next] = ['1'.repeat(64), '2'.repeat(64)]
    claimMainnet()
    publish()
    const tip = { height: 1, hash: old }
    const [hashes, times] = [new Uint8Array(64), new Uint32Array(2)]
    const scanned = { version: 3, network: 'mainnet', source: 'rpc', tip, work: '0', node: null } as const
    writeScannedChain(dataDir, { hashes, times }, { ...scanned, segments: [], lastHeights: [], notes: [] })
    const methods = new Set<string>()
    let asked = 0
    const answers: Record<string, () => unknown> = {
      getblockchaininfo: () => {
        asked++
        const bestblockhash = asked > 4 ? next : old
        return { chain: 'main', blocks: 1, headers: 1, bestblockhash, initialblockdownload: false, pruned: false }
      },
      getblockhash: () => '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      getchainstates: () => ({ chainstates: [{ blocks: 1, bestblockhash: old, validated: true }] }),
    }
    const node = await startRpcServer((received) =>
      results(received, ({ method }) => {
        methods.add(method)
        return answers[method]?.()
      }),
    )
    try {
      const rpc = { BITCOIN_SOURCE: 'rpc', BITCOIN_RPC_URL: node.url, BITCOIN_RPC_USER: 'u', BITCOIN_RPC_PASSWORD: 'p' }
      const program = standIn(closesAt(2))
      watch({ ...rpc, SNAPSHOT_SCHEDULE: 'off', MARKET_SOURCES: 'none' }, program)
      await until(() => asked >= 3)
      expect(begun()).toEqual(['update'])
      await until(isOver)
      expect(begun()).toEqual(['update', 'update'])
      expect(asked).toBe(5)
      expect([...methods].sort()).toEqual(['getblockchaininfo', 'getblockhash', 'getchainstates'])
    } finally {
      node.stop()
    }
  })

  it.each<[string, () => void, string]>([
    ['yesterday is there', () => publish('2024-01-02'), ''],
    ['the node is days behind', () => publish('2023-12-31'), ''],
    ['nothing is published', () => {}, ''],
    ['the update failed', () => publish(), 'process.exit(4)'],
  ])('is not made again where %s', async (_, prepare, behaviour) => {
    claimMainnet()
    prepare()
    watch({ ...withoutNode(), MARKET_SOURCES: 'none' }, standIn(behaviour))
    await until(isOver)
    await sleep(200)
    expect(begun()).toEqual(['update'])
  })

  it('is not made again on networks without steady blocks', async () => {
    claim('regtest')
    publish()
    watch(withoutNode(), standIn())
    await until(isOver)
    await sleep(200)
    expect(begun()).toEqual(['update'])
  })

  it('waits no longer once it is stopped, holds up no snapshots, and goes on at the next start', async () => {
    claimMainnet()
    publish()
    const settings = { ...withoutNode(), SNAPSHOT_SCHEDULE: everySecond }
    const schedule = watch(settings, standIn(), 10, 3_600_000)
    await until(() => due().get('update') === night + 3_600_000)
    await until(() => begun().includes('fetch --snapshots'))
    await schedule.stop()
    forgetStarted()
    const before = begun().filter((command) => command === 'update').length
    expect(before).toBe(1)
    watch(withoutNode(), standIn(closesAt(2)))
    await until(isOver)
    expect(begun().filter((command) => command === 'update')).toHaveLength(2)
  })
})

describe('a run that fails', () => {
  /** The runs of a command with these numbers end with these codes, of which the schedule hears. */
  const failing = (command: string, ...codes: readonly (string | null)[]): string =>
    standIn(
      `const { readFileSync } = await import('node:fs')
       const codes = ${JSON.stringify(codes)}
       const number = readFileSync(dataDir + '/calls', 'utf8').split('\\n').filter((call) => call === 'begin ' + command).length
       const code = codes[number - 1]
       if (command === '${command}' && code !== undefined) {
         const report = { job: command, startedAt: Date.now(), endedAt: Date.now(), outcome: 'failed', message: '', code }
         new RunJournal(dataDir).end(run, 'failed', '', code)
         process.send?.(report, () => process.exit(4))
         await sleep(30_000)
       }`,
    )
  const begun = (): string[] => calls().flatMap((call) => (call.startsWith('begin ') ? call.slice(6) : []))
  const isOver = (): boolean => (due().get('update') ?? 0) > Date.now() + 86_400_000

  it('for a reason that may pass is tried again after growing pauses, until it succeeds', async () => {
    const failures = ['rpc_unreachable', 'rpc_unreachable', 'rpc_unreachable', 'disk_full']
    start({ SNAPSHOT_SCHEDULE: 'off' }, { program: failing('update', ...failures), backoffMs: [1, 700] })
    await until(() => calls().includes('end update') && isOver())
    const times = runs().toReversed()
    expect(times.map(({ code }) => code)).toEqual([...failures, null])
    const pauses = times.slice(1).map(({ startedAt }, i) => startedAt - (times[i]?.endedAt ?? 0))
    expect(Math.min(...pauses.slice(1, 3))).toBeGreaterThanOrEqual(700)
  })

  it('is due again after the pause, and says so', async () => {
    publish()
    const hour = 3_600_000
    start({ SNAPSHOT_SCHEDULE: 'off' }, { program: failing('update', 'node_starting'), backoffMs: [hour] })
    await until(() => due().has('update'))
    const { stdout } = await coinstrata(['status', '--json', '--data-dir', dataDir])
    const at = new Date(due().get('update') ?? 0).toISOString()
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now() + hour)
    const message = expect.stringMatching(`^the last update failed with node_starting; .* tried again at ${at}$`)
    expect(JSON.parse(stdout)).toMatchObject({
      next_update: at,
      last_update: { outcome: 'failed', code: 'node_starting' },
      problems: expect.arrayContaining([expect.objectContaining({ code: 'update_failed', message })]),
    })
  })

  it.each(['audit_failed', 'pruned', 'wrong_network', 'memory_exhausted', null])(
    'with %s waits for its next time, and says so',
    async (code) => {
      publish()
      start({ SNAPSHOT_SCHEDULE: 'off' }, { program: failing('update', code), backoffMs: [1] })
      await until(isOver)
      expect(begun()).toEqual(['update'])
      const { stdout } = await coinstrata(['status', '--data-dir', dataDir])
      expect(stdout).toMatch(
        /^problem +the last update failed.* is not tried again before \d{4}-02-29T00:00:00.000Z \(update_failed\)$/m,
      )
    },
  )

  it('is tried again at once by the next start', async () => {
    const settings = { SNAPSHOT_SCHEDULE: 'off' }
    const schedule = start(settings, { program: failing('update', 'rpc_unreachable') })
    await until(() => due().has('update'))
    await schedule.stop()
    start(settings, { program: standIn() })
    await until(() => calls().includes('end update'))
  })

  it('for lack of a network fetches again, and computes only what came in', async () => {
    claimMainnet()
    const settings = { SNAPSHOT_SCHEDULE: 'off' }
    start(settings, { program: failing('fetch', 'market_source_failed', 'market_source_failed'), backoffMs: [1] })
    await until(() => calls().includes('end compute') && isOver())
    expect(begun()).toEqual(['fetch', 'update', 'fetch', 'fetch', 'compute'])
  })
})

describe('with FOLLOW=on', () => {
  const follows = (): boolean => calls().includes('begin follow')

  it('a child follows the node beside the runs, until the schedule is stopped', async () => {
    claimMainnet()
    plan('update', Date.now() + 3_600_000)
    const program = standIn(`if (command === 'follow') await sleep(60_000)`)
    const schedule = start({ FOLLOW: 'on' }, { program })
    await until(() => follows() && calls().includes('end fetch --snapshots --hourly'))
    await schedule.stop()
    forgetStarted()
    expect(calls()).not.toContain('end follow')
    expect(runs().find(({ job }) => job === 'follow')).toMatchObject({ outcome: 'failed', message: 'it was stopped' })
  })

  it('a simulated chain is not followed', async () => {
    claim('simulated')
    start({ FOLLOW: 'on' }, { program: standIn() })
    await until(() => calls().includes('end update'))
    await sleep(200)
    expect(follows()).toBe(false)
    const { exitCode, stderr } = await coinstrata(['follow', '--data-dir', dataDir])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(
      /simulated: there is no node to follow \[invalid_configuration\]\nWhat to do: turn FOLLOW off/,
    )
  })
})

describe('runs that were missed', () => {
  it('are made up after a restart', async () => {
    plan('update', Date.now() - 60_000)
    start({}, { program: standIn() })
    await until(() => calls().includes('end update'))
    await until(() => (due().get('update') ?? 0) > Date.now())
  })

  it('are not, where none was due', async () => {
    claimMainnet()
    plan('update', Date.now() + 3_600_000)
    plan('snapshots', Date.now() - 1)
    recordUpdatedWith({})
    start({}, { program: standIn() })
    await until(() => calls().includes('end fetch --snapshots'))
    await until(() => (due().get('snapshots') ?? 0) > Date.now())
    expect(calls()).toEqual(['begin fetch --snapshots', 'end fetch --snapshots'])
  })

  it('are made up when they were cut off by a stop', async () => {
    plan('update', Date.now() - 60_000)
    const schedule = start({}, { program: standIn('await sleep(30_000)') })
    await until(() => calls().length === 1)
    await schedule.stop()
    forgetStarted()
    expect(runs()).toMatchObject([{ job: 'update', outcome: 'failed', message: 'it was stopped' }])
    expect(due().get('update')).toBeLessThan(Date.now())
    start({}, { program: standIn() })
    await until(() => calls().includes('end update'))
  })

  it('are not begun for ever where each attempt brings the machine down', async () => {
    plan('update', Date.now() - 60_000)
    const journal = new RunJournal(dataDir)
    journal.begin('update')
    journal.begin('update')
    journal.close()
    start({ SNAPSHOT_SCHEDULE: everySecond }, { program: standIn() })
    await until(() => due().has('snapshots'))
    expect(calls()).toEqual([])
  })
})

describe('runs at their times', () => {
  it('never overlap, whatever their length', async () => {
    claimMainnet()
    start({ UPDATE_SCHEDULE: everySecond, SNAPSHOT_SCHEDULE: everySecond }, { program: standIn('await sleep(400)') })
    const ended = (command: string): number => calls().filter((call) => call === `end ${command}`).length
    await until(() => ended('update') >= 2 && ended('fetch --snapshots') >= 2)
    const seen = calls()
    seen.forEach((call, i) => {
      const [what, ...command] = call.split(' ')
      expect(what, seen.join('\n')).toBe(i % 2 === 0 ? 'begin' : 'end')
      if (what === 'end') expect(seen[i - 1]).toBe(`begin ${command.join(' ')}`)
    })
  })

  it('go on after a crash of one, which is remembered', async () => {
    start({ UPDATE_SCHEDULE: everySecond }, { program: standIn(`process.kill(process.pid, 'SIGKILL')`) })
    await until(() => calls().length >= 3)
    expect(runs().at(-1)).toMatchObject({
      job: 'update',
      outcome: 'failed',
      message: 'it was stopped by SIGKILL, as when memory runs out',
    })
  })

  it('name what to do where the heap of one is full', async () => {
    publish()
    const program = standIn('const held: number[][] = []; for (;;) held.push(new Array(100_000).fill(1.5))')
    process.env.NODE_OPTIONS = '--max-old-space-size=40'
    try {
      start({ SNAPSHOT_SCHEDULE: 'off' }, { program })
      await until(() => runs().some(({ outcome }) => outcome === 'failed'))
    } finally {
      delete process.env.NODE_OPTIONS
    }
    const { stdout } = await coinstrata(['status', '--data-dir', dataDir])
    expect(stdout).toMatch(/^problem +the last update failed with memory_exhausted.*\ncure +Give the machine/m)
  })
})
