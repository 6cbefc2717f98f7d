import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { addressOf, compileCache, program, temporaryFolder } from '#test/support/program.ts'
import { tablesOf } from '#test/support/published.ts'

const root = path.join(import.meta.dirname, '..', '..')
const page = readFileSync(path.join(root, 'docs', 'operate.md'), 'utf8')

/** The commands of a section, by block. */
const blocksOf = (heading: string): string[] => {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands)
}

const bitcoind = findBitcoind()

describe.skipIf(!bitcoind)('the commands of the page for operators, in a fresh folder beside a real node,', () => {
  const folder = temporaryFolder('operate')
  const home = path.join(folder, 'home')
  const dataDir = path.join(home, 'coinstrata')
  const settingsFile = path.join(folder, 'settings')
  let node: TestNode
  let serving: ChildProcess | undefined

  /** Runs the commands with another network and other folders; exported variables persist. */
  function shell(commands: string): ChildProcess {
    const here = commands
      .replace('BITCOIN_NETWORK=mainnet', 'BITCOIN_NETWORK=regtest')
      .replaceAll('/mnt/backup', folder)
      .replaceAll('/var/lib/coinstrata-new', path.join(folder, 'restored'))
    return spawn('bash', ['-c', ['set -e', `. '${settingsFile}'`, here].join('\n')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        HOME: home,
        TZ: 'UTC',
        NODE_COMPILE_CACHE: compileCache,
        // Only local port and sources, and text as on a terminal.
        PORT: '0',
        MARKET_SOURCES: 'none',
        LOG_FORMAT: 'text',
      },
    })
  }
  async function run(commands: string): Promise<string> {
    const child = shell(commands)
    const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')])
    expect(child.exitCode, `${commands}\n${stdout}${stderr}`).toBe(0)
    return stdout
  }

  const mine = async (blocks: number, hoursAgo: number): Promise<void> => {
    await node.rpc('setmocktime', [Math.floor(Date.now() / 1000) - hoursAgo * 3_600])
    await node.rpc('generatetodescriptor', [blocks, 'raw(51)#8lvh9jxk'])
  }

  beforeAll(async () => {
    mkdirSync(home)
    writeFileSync(settingsFile, '')
    const command = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`
    writeFileSync(path.join(folder, 'coinstrata'), command, { mode: 0o755 })
    node = await startNode(bitcoind!)
    symlinkSync(node.datadir, path.join(home, '.bitcoin'))
    const { port } = new URL(node.endpoint.url)
    writeFileSync(path.join(node.datadir, 'bitcoin.conf'), `[regtest]\nrpcport=${port}\n`)
    await mine(3, 72)
    await mine(3, 30)
    await mine(1, 1)
  })
  afterAll(async () => {
    if (serving?.kill('SIGKILL')) await once(serving, 'exit')
    await node?.stop()
    // Children of the service may write until they notice.
    rmSync(folder, { recursive: true, maxRetries: 20 })
  })

  it('lead from doctor over update to a service', async () => {
    const [examine = '', update = '', serve = '', ...others] = blocksOf('The first run')
    expect(others).toEqual([])
    const said = await run(examine)
    expect(said).toMatch(/^ok +RPC +\/Satoshi:/m)
    expect(said).not.toMatch(/^problem/m)
    expect(existsSync(dataDir)).toBe(false)
    appendFileSync(settingsFile, examine.replace('mainnet', 'regtest').replace('coinstrata doctor', ''))

    const updated = await run(update)
    expect(updated).toMatch(/equal to the node/)
    expect(updated).toMatch(/^state +ok$/m)
    expect(tablesOf(dataDir)).toContain('cohorts')

    serving = shell(serve.replace('coinstrata serve', 'exec coinstrata serve'))
    const url = await addressOf({ process: serving })
    const health: unknown = await (await fetch(`${url}/health`)).json()
    expect(health).toMatchObject({ status: 'ok', tip_height: 7, published: { equal_to_node: true } })
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  })

  it('save and restore, and go back and forward', async () => {
    const [backup = ''] = blocksOf('Backup and restore')
    expect(await run(backup)).toContain('coinstrata-')
    expect(existsSync(path.join(folder, 'restored', 'state', 'runs.db'))).toBe(true)
    await mine(1, 0)
    await run('coinstrata update')
    const [goBack = ''] = blocksOf('Upgrade and going back')
    const said = await run(goBack)
    expect(said).toContain('nothing has changed')
  })
})
