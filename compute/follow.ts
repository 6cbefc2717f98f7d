import { setTimeout as sleep } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ErrorCode } from '#base/error-codes.ts'
import { CoinstrataError } from '#base/errors.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readNodeState, waitForOtherTip } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { withSession } from '#sql/session.ts'
import { recordFollowing } from '#state/following.ts'
import { folderNetwork, followFolder, refuseOtherNetwork, withFollower } from './data-folder.ts'
import { Follower, type PublishedToday } from './live/follower.ts'
import { locateNode, type UpdateSettings } from './update-settings.ts'

export interface FollowListener {
  readonly published: (today: PublishedToday) => void
  readonly waiting: (reason: CoinstrataError, pauseMs: number) => void
}

const permanent: ReadonlySet<ErrorCode> = new Set([
  'invalid_configuration',
  'data_folder_in_use',
  'data_folder_mismatch',
  'data_folder_unwritable',
  'wrong_network',
  'wrong_chain',
])

/** The node or its disk does not respond, or its password is another one. */
const silent: ReadonlySet<ErrorCode> = new Set(['rpc_unreachable', 'node_starting', 'rpc_refused', 'source_not_found'])

const minPauseMs = 1_000
const maxPauseMs = 60_000

/**
 * Follows the node: publishes the open day as table `today` after each block and each change of
 * prices or published days. Never returns. If the node is unreachable or an update is needed first,
 * retries with growing pauses; the published row stays. Throws `invalid_configuration` for a
 * simulated chain, `data_folder_in_use`, `data_folder_mismatch`, `wrong_network`, `wrong_chain`.
 */
export function follow(settings: UpdateSettings, listener: FollowListener): Promise<never> {
  const { dataDir, memory } = settings
  if (settings.source === 'simulated' || folderNetwork(dataDir) === 'simulated') throw nothingToFollow(dataDir)
  refuseOtherNetwork(dataDir, settings.network)
  const network = networks[settings.network]
  return withFollower(dataDir, async () => {
    const record = recordFollowing(dataDir)
    let pause = minPauseMs
    let answeredAt = Date.now()
    let followed = ''
    record({})
    const followNode = async (connection: DuckDBConnection, client: RpcClient): Promise<never> => {
      const follower = new Follower(connection, dataDir, network, client)
      for (;;) {
        const { tip } = await readNodeState(client, network)
        answeredAt = Date.now()
        const behindSince = tip.hash === followed ? null : answeredAt
        record({ nodeHeight: tip.height, unreachableSince: null, code: null, behindSince })
        const today = await follower.publish(tip)
        followed = tip.hash
        record({ followedHeight: tip.height, behindSince: null })
        if (today) {
          pause = minPauseMs
          listener.published(today)
        }
        // Also returns regularly without a new block, to notice new prices and generations.
        await waitForOtherTip(client, tip)
      }
    }
    for (;;) {
      try {
        const client = new RpcClient(findEndpoint(settings))
        const session = { temporaryFolder: followFolder(dataDir), memory, threads: 1 }
        await withSession(session, (connection) => followNode(connection, client))
      } catch (error) {
        if (!(error instanceof CoinstrataError) || permanent.has(error.code)) throw error
        if (silent.has(error.code)) record({ unreachableSince: answeredAt, code: error.code })
        listener.waiting(error, pause)
        await sleep(pause)
        pause = Math.min(2 * pause, maxPauseMs)
      }
    }
  })
}

function findEndpoint(settings: UpdateSettings): RpcEndpoint {
  const endpoint = locateNode(settings)?.endpoint
  if (endpoint) return endpoint
  const message = 'the RPC of the node cannot be used: there is neither a cookie nor a user'
  throw new CoinstrataError('rpc_unreachable', message, {
    cure: 'start the node with server=1, or set BITCOIN_RPC_URL',
  })
}

const nothingToFollow = (dataDir: string): CoinstrataError =>
  new CoinstrataError('invalid_configuration', `the chain of ${dataDir} is simulated: there is no node to follow`, {
    cure: 'turn FOLLOW off, or use the data folder of a real chain',
  })
