import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ServiceState } from '#contract/operational-state.ts'
import { password, signIn } from '#test/api/support/test-server.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedBytes, tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { FaultedService, failuresIn } from './faulted-service.ts'
import type { Fault, Scene } from './faults.ts'

const tipHeight = 200
const bitcoind = findBitcoind()

/** Exit codes of `status --max-age`, as docs/operate.md has them. */
const statusExits: Record<ServiceState, number> = { ok: 0, degraded: 0, stale: 1, failed: 2, data_not_ready: 3 }

const updated = async (dataDir: string, blocksFolder: string): Promise<void> => {
  const args = ['update', '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', dataDir]
  const { exitCode, stderr } = await coinstrata(args)
  expect(exitCode, stderr).toBe(0)
}

/**
 * Declares tests of a service that meets these faults one after the other. With `recovers`, updates
 * publish in the end what a first one does.
 */
export function describeFaults(chosen: readonly Fault[], { recovers = false } = {}): void {
  const folder = temporaryFolder('faults')
  const whole = path.join(folder, 'whole')
  const blocks = path.join(folder, 'blocks')
  const smallDisk = path.join(folder, 'small-disk')
  const filler = path.join(smallDisk, 'filler')

  mkdirSync(smallDisk)
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'coinstrata-test', smallDisk]).status === 0
  const isPermitted: Record<NonNullable<Fault['needs']>, boolean> = {
    'small disk': isMounted,
    modes: process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status === 0,
    limits: spawnSync('prlimit', ['--version']).status === 0,
    node: bitcoind !== undefined,
  }

  let part: string
  let usual: FaultedService
  let small: FaultedService | undefined
  let node: TestNode | undefined
  let tip: Scene['tip']
  let rows: readonly unknown[]

  beforeAll(async () => {
    const chain = makeChain(tipHeight + 1)
    const published = await publishedChain(150)
    part = published.blocks
    await writeChain(whole, chain, tipHeight)
    tip = { height: tipHeight, hash: chain[tipHeight]!.block.getId() }
    usual = await FaultedService.start(published.dataDir, path.join(folder, 'data'))
    if (isMounted) small = await FaultedService.start(published.dataDir, path.join(smallDisk, 'data'))
    if (bitcoind) node = await startNode(bitcoind)
    const all = await usual.served(chosen.length + 1)
    rows = z
      .array(z.unknown())
      .length(chosen.length + 1)
      .parse(all)
  })
  afterAll(async () => {
    await usual?.close()
    await small?.close()
    await node?.stop()
    if (isMounted) spawnSync('umount', [smallDisk])
    rmSync(folder, { recursive: true })
  })

  describe('what is published is served, and all four places tell the same,', () => {
    it('where nothing is wrong', async () => {
      const { exitCode, places } = await usual.told()
      expect(exitCode).toBe(0)
      for (const told of Object.values(places)) expect(told).toEqual({ state: 'ok', problems: [], cures: [] })
    })

    for (const [place, fault] of chosen.entries()) {
      it.skipIf(fault.needs && !isPermitted[fault.needs])(`where ${fault.name}`, () => meet(fault, place + 1))
    }

    it.skipIf(!recovers)('and once all is well again the next run publishes what a first one does', async () => {
      const first = path.join(folder, 'first')
      await updated(first, whole)
      for (const { dataDir } of small ? [usual, small] : [usual]) {
        await updated(dataDir, whole)
        expect(await tableDifferences(dataDir, first)).toEqual({})
      }
      const { places } = await usual.told()
      expect(places['/health']).toEqual({ state: 'ok', problems: [], cures: [] })
    })
  })

  async function meet(fault: Fault, days: number): Promise<void> {
    const { needs, make, run, own, exitCode, code, isUnbegun, state, problems, statusState = state } = fault
    const service = needs === 'small disk' ? small! : usual
    const scene: Scene = { dataDir: service.dataDir, published: part, blocks, tip, filler, node }
    service.forget()
    // A table that is there again is served when it has been verified.
    await expect
      .poll(async () => (await service.told()).places['/health']?.problems)
      .not.toContain('generation_damaged')
    copyFolder(whole, blocks)
    const before = publishedBytes(service.dataDir)
    const { args = [], environment, undo } = (await make?.(scene)) ?? {}
    try {
      const command = run?.(scene) ?? []
      if (run) {
        const outcome = await service.run([...command, ...args], environment, own?.(scene))
        const failure = { code, cure: expect.any(String), msg: expect.any(String) }
        const ofRun = { job: command[0], outcome: 'failed', seconds: expect.any(Number) }
        const said = { ...failure, ...(!isUnbegun && ofRun) }
        expect(outcome, outcome.stderr).toMatchObject({ exitCode, stdout: '' })
        expect(failuresIn(outcome)).toEqual(code === undefined ? [] : [expect.objectContaining(said)])
      }
      const { exitCode: statusExit, places, failedRuns } = await service.told()
      const { cures = [] } = places['/health'] ?? {}
      expect(cures).toEqual(problems.map(() => expect.stringMatching(/^.{10,}\.$/)))
      expect(cures.join()).not.toContain(service.dataDir)
      const told = { state, problems, cures }
      expect(places).toEqual({
        'status --json': { ...told, state: statusState },
        '/health': told,
        '/v1/status': told,
        '/metrics': told,
      })
      expect(statusExit).toBe(statusExits[statusState])
      if (code !== undefined && problems.length === 1 && problems[0]?.endsWith('_failed')) {
        expect(failedRuns).toEqual([`${command[0]} ${code}`])
      }
      expect(await service.served(days)).toEqual(rows.slice(0, days))
    } finally {
      await undo?.()
    }
    expect(publishedBytes(service.dataDir)).toEqual(before)
  }

  describe.skipIf(!isMounted)('on a full disk', () => {
    it('keys hold on, and what would change an account is refused', async () => {
      const { server, dataDir } = small!
      await signIn(server, dataDir, 'ann@example.org')
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096'])
      try {
        const body = JSON.stringify({ email: 'ann@example.org', password })
        const headers = { 'content-type': 'application/json' }
        const answers: unknown[] = []
        // Writes that fit into SQLite's log still succeed.
        for (let i = 0; i < 40 && answers.length === 0; i++) {
          const response = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body })
          if (response.status !== 200 && response.status !== 201) answers.push([response.status, await response.json()])
          else await response.arrayBuffer()
        }
        expect(answers).toMatchObject([[503, { error: { code: 'storage_unavailable' } }]])
        expect(await small!.served(1)).toHaveLength(1)
      } finally {
        rmSync(filler)
      }
      await signIn(server, dataDir, 'ann@example.org')
    })
  })
}
