import { setTimeout as sleep } from 'node:timers/promises'
import { CoinstrataError, type ErrorCode } from '#base/errors.ts'
import { locateSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readNodeState, waitForOtherTip } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { withSession } from '#sql/session.ts'
import { folderNetwork, followFolder, refuseOtherNetwork, withFollower } from './data-folder.ts'
import { Follower, type PublishedToday } from './live/follower.ts'
import type { UpdateSettings } from './update-settings.ts'

/** Hears what the follower did, and why it waits. */
export interface FollowListener {
  readonly published: (today: PublishedToday) => void
  readonly waiting: (reason: CoinstrataError, milliseconds: number) => void
}

/** No time mends these. */
const permanent: ReadonlySet<ErrorCode> = new Set([
  'invalid_configuration',
  'data_folder_in_use',
  'data_folder_mismatch',
  'data_folder_unwritable',
  'wrong_network',
])

const shortestPause = 1_000
const longestPause = 60_000

/**
 * Follows the node: publishes the open day as table `today` after each block, and where prices or the published days have
 * changed. Goes on until the process ends; where the node is away or an update is needed first, it tries again, more
 * and more seldom, and what was published stays. Throws `invalid_configuration` for a simulated chain,
 * `data_folder_in_use` where another run follows, `data_folder_mismatch`, `wrong_network`.
 */
export function follow(settings: UpdateSettings, listener: FollowListener): Promise<never> {
  const { dataDir, network } = settings
  if (settings.source === 'simulated' || folderNetwork(dataDir) === 'simulated') throw nothingToFollow(dataDir)
  refuseOtherNetwork(dataDir, network)
  return withFollower(dataDir, async () => {
    let pause = shortestPause
    const published = (today: PublishedToday): void => {
      pause = shortestPause
      listener.published(today)
    }
    for (;;) {
      try {
        await followNode(settings, published)
      } catch (error) {
        if (!(error instanceof CoinstrataError) || permanent.has(error.code)) throw error
        listener.waiting(error, pause)
        await sleep(pause)
        pause = Math.min(2 * pause, longestPause)
      }
    }
  })
}

/** Until something fails. */
async function followNode(settings: UpdateSettings, published: (today: PublishedToday) => void): Promise<never> {
  const { dataDir, memory } = settings
  const network = networks[settings.network]
  const client = new RpcClient(endpointOf(settings))
  const folder = followFolder(dataDir)
  return withSession({ temporaryFolder: folder, memory, threads: 1 }, async (connection) => {
    const follower = new Follower(connection, dataDir, network, client)
    for (;;) {
      const { tip } = await readNodeState(client, network)
      const today = await follower.publish(tip)
      if (today) published(today)
      // Prices and generations are looked at as often, too.
      await waitForOtherTip(client, tip)
    }
  })
}

function endpointOf(settings: UpdateSettings): RpcEndpoint {
  const { source, network, defaultDatadir } = settings
  if (source === 'simulated') throw nothingToFollow(settings.dataDir)
  const endpoint = locateSource({ ...settings, source }, networks[network], defaultDatadir)?.endpoint
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
