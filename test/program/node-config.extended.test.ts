import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { freePort } from '#test/support/free-port.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'

const bitcoind = findBitcoind()
const quiet = ['-listen=0', '-connect=0', '-printtoconsole=0']
const findingsSchema = z.array(z.object({ check: z.string(), state: z.string(), says: z.string() }))

interface Place {
  readonly home: string
  readonly disk: string
  readonly port: number
  readonly other: number
}

/** Files below the home folder of the node's user, and whether the node then prunes. */
const configurations: readonly (readonly [string, (place: Place) => Readonly<Record<string, string>>, boolean])[] = [
  [
    'datadir, and rpcbind with a port in a dotted name',
    ({ disk, port, other }) => ({
      'bitcoin.conf': `regtest=1\ndatadir=${disk}\nrpcallowip=127.0.0.1\nregtest.rpcport=${other}\nregtest.rpcbind=127.0.0.1:${port}`,
    }),
    false,
  ],
  [
    'an included file with a section, whose rpcbind is ignored without rpcallowip',
    ({ port, other }) => ({
      'bitcoin.conf': 'regtest=1\nincludeconf=more.conf\nprune=0',
      'more.conf': `prune=550\n[regtest]\nrpcport=${port}\nrpcbind=127.0.0.1:${other}`,
    }),
    false,
  ],
  [
    'settings.json before a section and other lines',
    ({ port, other }) => ({
      'bitcoin.conf': `regtest=1\nprune=0\n[regtest]\nrpcport=${other}`,
      'regtest/settings.json': `{ "prune": "550", "rpcport": ${port}, "wallet": [] }`,
    }),
    true,
  ],
  [
    'two addresses, and the cookie under another name',
    ({ port, other }) => ({
      'bitcoin.conf': `regtest=1\nrpccookiefile=my.cookie\nrpcallowip=::/0\n[regtest]\nrpcbind=[::]:${other}\nrpcbind=127.0.0.1:${port}`,
    }),
    false,
  ],
  [
    'a password',
    ({ port }) => ({
      'bitcoin.conf': `regtest=1\nrpcuser=ann\nrpcpassword=word=\n[regtest]\nrpcport=${port}\nprune=1`,
    }),
    true,
  ],
]

it.skipIf(!bitcoind).each(configurations)(
  'a real node with %s is reached as it is configured',
  async (_, files, isPruned) => {
    const home = temporaryFolder('home')
    const place = { home, disk: path.join(home, 'disk'), port: await freePort(), other: await freePort() }
    mkdirSync(place.disk)
    for (const [name, text] of Object.entries(files(place))) {
      const file = path.join(home, '.bitcoin', name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, `${text}\n`)
    }
    const node = spawn(bitcoind!, quiet, { stdio: 'ignore', env: { HOME: home } })
    try {
      const args = ['doctor', '--json', '--network', 'regtest', '--port', '0', '--data-dir', path.join(home, 'data')]
      const examine = async () => {
        const { stdout } = await coinstrata(args, { environment: { HOME: home } })
        return findingsSchema.parse(JSON.parse(stdout))
      }
      const rpc = async () => (await examine()).filter(({ check }) => check === 'RPC')
      await expect.poll(rpc, { timeout: 60_000, interval: 500 }).toContainEqual({
        check: 'RPC',
        state: 'ok',
        says: expect.stringMatching(/ block 0 of 0$/),
      })
      const findings = await examine()
      expect(findings.some(({ says }) => says.includes('the node prunes'))).toBe(isPruned)
      const folder = existsSync(path.join(place.disk, 'regtest')) ? place.disk : path.join(home, '.bitcoin')
      expect(findings.find(({ check }) => check === 'block files')?.says).toContain(
        path.join(folder, 'regtest', 'blocks'),
      )
    } finally {
      node.kill('SIGTERM')
      await once(node, 'exit')
      rmSync(home, { recursive: true })
    }
  },
)
