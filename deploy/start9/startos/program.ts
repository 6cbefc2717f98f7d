import type { T } from '@start9labs/start-sdk'
import { sdk } from './sdk'

/** In the node's container; the node writes its coins into a folder in there. */
const nodeFolder = '/root/.bitcoin'
const dumps = 'coinstrata'

export const openContainer = (effects: T.Effects, name: string) =>
  sdk.SubContainer.of(
    effects,
    { imageId: 'coinstrata' },
    sdk.Mounts.of()
      .mountVolume({ volumeId: 'main', subpath: null, mountpoint: '/data', readonly: false })
      .mountDependency({
        dependencyId: 'bitcoind',
        volumeId: 'main',
        subpath: null,
        mountpoint: '/bitcoin',
        readonly: true,
      })
      .mountDependency({
        dependencyId: 'bitcoind',
        volumeId: 'main',
        subpath: dumps,
        mountpoint: `${nodeFolder}/${dumps}`,
        readonly: false,
      }),
    name,
  )

export const nodeAddress = (effects: T.Effects) =>
  sdk.host.getBridgeAddress(effects, { packageId: 'bitcoind', hostId: 'rpc', internalPort: 8332, ssl: false })

/** Only root can read the node's files. */
export const runAs = (node: string | null) => ({
  user: 'root',
  env: {
    BITCOIN_DATADIR: '/bitcoin',
    ...(node === null ? { BITCOIN_RPC: 'off' } : { BITCOIN_RPC_URL: `http://${node}` }),
    DUMP_FOLDER: `${nodeFolder}/${dumps}`,
    // StartOS authenticates users.
    ACCESS: 'open',
    OPEN_TO_NETWORK: 'true',
    TRUST_PROXY: '1',
    FOLLOW: node === null ? 'off' : 'on',
  },
})
