import { FileHelper } from '@start9labs/start-sdk'
import { sdk } from './sdk'

export const port = 3000

export const main = sdk.setupMain(async ({ effects }) => {
  const container = await sdk.SubContainer.of(
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
      }),
    'coinstrata',
  )
  // Restarts when the node writes a new cookie, at each of its starts.
  await FileHelper.string(`${container.rootfs}/bitcoin/.cookie`).read().const(effects)
  const node = await sdk.host
    .getBridgeAddress(effects, { packageId: 'bitcoind', hostId: 'rpc', internalPort: 8332, ssl: false })
    .const()
  return sdk.Daemons.of(effects).addDaemon('service', {
    subcontainer: container,
    exec: {
      command: sdk.useEntrypoint(),
      // Only root can read the node's files.
      user: 'root',
      env: {
        BITCOIN_DATADIR: '/bitcoin',
        ...(node === null ? { BITCOIN_RPC: 'off' } : { BITCOIN_RPC_URL: `http://${node}` }),
        // StartOS authenticates users.
        ACCESS: 'open',
        OPEN_TO_NETWORK: 'true',
        TRUST_PROXY: '1',
        FOLLOW: node === null ? 'off' : 'on',
      },
    },
    ready: {
      display: 'Web interface',
      fn: () =>
        sdk.healthCheck.checkPortListening(effects, port, {
          successMessage: 'The pages can be opened',
          errorMessage: 'The service is starting',
        }),
    },
    requires: [],
  })
})
