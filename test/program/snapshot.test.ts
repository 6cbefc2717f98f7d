import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type MadeBlock, makeChain, writeChain } from '#test/support/made-chain.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { results, startRpcServer } from '#test/support/rpc-server.ts'

/**
 * Heights to which history has been validated, from which the snapshot's chain goes on, and to
 * which.
 */
const validated = 60
const snapshot = 75
const tipHeight = 90

describe('a node that still validates the history before its snapshot', () => {
  const folder = temporaryFolder('snapshot')
  const blocks = path.join(folder, 'blocks')
  const update = (blocksFolder: string, dataDir: string, args: readonly string[] = []) =>
    coinstrata(['update', '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', dataDir, ...args])
  let chain: MadeBlock[]

  beforeAll(async () => {
    chain = makeChain(tipHeight + 1)
    await writeChain(blocks, chain, tipHeight, (height) => height <= validated || height > snapshot)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('is read as far as it has validated, when it says so', async () => {
    const blockHash = (height: number): string => chain[height]!.block.getId()
    const answers: Record<string, unknown> = {
      getblockchaininfo: {
        chain: 'regtest',
        blocks: tipHeight,
        headers: tipHeight,
        bestblockhash: blockHash(tipHeight),
        initialblockdownload: false,
        pruned: false,
      },
      getchainstates: {
        headers: tipHeight,
        chainstates: [
          { blocks: validated, bestblockhash: blockHash(validated), validated: true },
          { blocks: tipHeight, bestblockhash: blockHash(tipHeight), validated: false },
        ],
      },
    }
    const node = await startRpcServer((calls) =>
      results(calls, ({ method, params }) =>
        method === 'getblockhash' ? blockHash(z.tuple([z.int()]).parse(params)[0]) : answers[method],
      ),
    )
    onTestFinished(node.stop)
    const rpc = ['--rpc-url', node.url, '--rpc-user', 'any']
    const { exitCode, stdout, stderr } = await update(blocks, path.join(folder, 'data'), rpc)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('The node still validates the history before its snapshot')

    const history = await publishedChain(validated)
    expect(await tableDifferences(path.join(folder, 'data'), history.dataDir)).toEqual({})
  })

  it('is refused while it does not run, since what it connected does not hang together', async () => {
    const { exitCode, stderr } = await update(blocks, path.join(folder, 'other-data'))
    const { block } = chain[snapshot + 1]!
    expect(stderr).toContain(`the parent of ${block.getId()}`)
    expect(stderr).toMatch(
      /\[chain_incomplete\]\nWhat to do: start the node, so that it can say which chain is complete/,
    )
    expect(exitCode).toBe(4)

    mkdirSync(path.join(folder, 'chainstate_snapshot'))
    expect((await update(blocks, path.join(folder, 'other-data'))).stderr).toMatch(
      /\[chain_incomplete\]\nWhat to do: the node began with a snapshot.*: make its RPC reachable/,
    )
  })
})
