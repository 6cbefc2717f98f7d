import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networks } from '#ingest/chain/networks.ts'
import { createCertificate, hasOpenssl } from '#test/support/certificate.ts'
import { coinstrata, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { type RpcServer, results, startRpcServer } from '#test/support/rpc-server.ts'

const { genesisHash } = networks.regtest
const best = { bestblockhash: genesisHash, blocks: 0 }
const answers: Readonly<Record<string, unknown>> = {
  getdeploymentinfo: { deployments: {} },
  getblockchaininfo: { ...best, chain: 'regtest', headers: 0, initialblockdownload: false, pruned: false },
  getblockhash: genesisHash,
  getchainstates: { chainstates: [{ ...best, validated: true }] },
  getnetworkinfo: { subversion: '/Satoshi:30.0.0/' },
  getindexinfo: {},
  getblockheader: { time: 1_296_688_602 },
}

describe.skipIf(!hasOpenssl)('an RPC over https', () => {
  const folder = temporaryFolder('https')
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string]
  let server: RpcServer
  let args: readonly string[]

  beforeAll(async () => {
    createCertificate('127.0.0.1', key, cert)
    const certificate = { key: readFileSync(key), cert: readFileSync(cert) }
    server = await startRpcServer((calls) => results(calls, ({ method }) => answers[method]), certificate)
    const source = ['--source', 'rpc', '--rpc-url', server.url, '--rpc-user', 'ann', '--network', 'regtest']
    args = ['doctor', ...source, '--data-dir', path.join(folder, 'data'), '--port', '0']
  })
  afterAll(() => {
    server.stop()
    rmSync(folder, { recursive: true })
  })

  it('is asked where the authority of its certificate is known', async () => {
    const { stdout } = await startCoinstrata(args, { environment: { NODE_EXTRA_CA_CERTS: cert } }).outcome
    expect(stdout).toMatch(new RegExp(`^ok +RPC +/Satoshi:30.0.0/ at ${server.url}, block 0 of 0$`, 'm'))
  })

  it('is told nothing where it is not, and the cure is named', async () => {
    const { exitCode, stdout } = await coinstrata(args)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /^problem +RPC +no connection to the node at .*: DEPTH_ZERO_SELF_SIGNED_CERT \[rpc_unreachable\]$/m,
    )
    expect(stdout).toContain('NODE_EXTRA_CA_CERTS')
  })
})
