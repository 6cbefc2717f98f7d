import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorCode } from '#base/error-codes.ts'
import { CoinstrataError } from '#base/errors.ts'
import { networks } from '#ingest/chain/networks.ts'
import { type ChainTip, readNodeState, waitForOtherTip } from '#ingest/chain/node.ts'
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

/** The node, or its disk, does not answer. */
const unreachable: ReadonlySet<ErrorCode> = new Set(['rpc_unreachable', 'node_starting', 'source_not_found'])

const minPauseMs = 1_000
const maxPauseMs = 60_000

/**
 * Follows the node: publishes the open day as table `today` after each block and after each change
 * of prices or published days. Never returns. If the node is unreachable or an update is needed
 * first, it retries with growing pauses; the published row stays. Throws `invalid_configuration`
 * for a simulated chain, `data_folder_in_use` if another process follows, `data_folder_mismatch`,
 * `wrong_network`, `wrong_chain`.
 */
export function follow(settings: UpdateSettings, listener: FollowListener): Promise<never> {
  const { dataDir, network } = settings
  if (settings.source === 'simulated' || folderNetwork(dataDir) === 'simulated') throw nothingToFollow(dataDir)
  refuseOtherNetwork(dataDir, network)
  return withFollower(dataDir, async () => {
    const record = recordFollowing(dataDir)
    let pause = minPauseMs
    let answeredAt = Date.now()
    let followed = ''
    record({})
    const node: NodeListener = {
      answered: ({ height, hash }) => {
        answeredAt = Date.now()
        record({ nodeHeight: height, unreachableSince: null, behindSince: hash === followed ? null : answeredAt })
      },
      published: ({ height, hash }, today) => {
        followed = hash
        record({ followedHeight: height, behindSince: null })
        if (!today) return
        pause = minPauseMs
        listener.published(today)
      },
    }
    for (;;) {
      try {
        await followNode(settings, node)
      } catch (error) {
        if (!(error instanceof CoinstrataError) || permanent.has(error.code)) throw error
        if (unreachable.has(error.code)) record({ unreachableSince: answeredAt })
        listener.waiting(error, pause)
        await sleep(pause)
        pause = Math.min(2 * pause, maxPauseMs)
      }
    }
  })
}

interface NodeListener {
  readonly answered: (tip: ChainTip) => void
  /** Called after each answer; without `today` nothing was left to publish. */
  readonly published: (tip: ChainTip, today: PublishedToday | undefined) => void
}

async function followNode(settings: UpdateSettings, node: NodeListener): Promise<never> {
  const { dataDir, memory } = settings
  const network = networks[settings.network]
  const client = new RpcClient(findEndpoint(settings))
  const folder = followFolder(dataDir)
  return withSession({ temporaryFolder: folder, memory, threads: 1 }, async (connection) => {
    const follower = new Follower(connection, dataDir, network, client)
    for (;;) {
      const { tip } = await readNodeState(client, network)
      node.answered(tip)
      node.published(tip, await follower.publish(tip))
      // This returns regularly without a new block too, so that new prices and generations are
      // noticed.
      await waitForOtherTip(client, tip)
    }
  })
}

function findEndpoint(settings: UpdateSettings): RpcEndpoint {
  const endpoint = locateNode(settings)?.endpoint
  if (endpoint) return endpoint
  throw new CoinstrataError(
    'rpc_unreachable',
    'the RPC of the node cannot be used: there is neither a cookie nor a user',
    {
      cure: 'start the node with server=1, or set BITCOIN_RPC_URL',
    },
  )
}

const nothingToFollow = (dataDir: string): CoinstrataError =>
  new CoinstrataError('invalid_configuration', `the chain of ${dataDir} is simulated: there is no node to follow`, {
    cure: 'turn FOLLOW off, or use the data folder of a real chain',
  })
