import { buildManifest } from '@start9labs/start-sdk'
import { actions } from './actions'
import { main, port } from './main'
import { manifest as ours } from './manifest'
import { sdk } from './sdk'
import { versionGraph } from './versions'

/** The rest is recomputed from the node. */
export const { createBackup, restoreInit } = sdk.setupBackups(async () =>
  sdk.Backups.ofVolumes('main').setOptions({
    exclude: [
      '/lake',
      '/published/2*',
      '/raw/addresses',
      '/raw/balances',
      '/raw/checkpoints',
      '/raw/headers',
      '/raw/merged-hours',
      '/raw/segments',
      '/raw/simulated',
      '/state/bootstrap',
      '/state/dump',
      '/state/follow',
      '/state/pull',
      '/state/reading',
      '/state/renders',
      '/state/tmp',
    ],
  }),
)

const setInterfaces = sdk.setupInterfaces(async ({ effects }) => {
  const host = sdk.MultiHost.of(effects, 'ui')
  const origin = await host.bindPort(port, { protocol: 'http' })
  const pages = sdk.createInterface(effects, {
    name: 'Pages and API',
    id: 'ui',
    description: 'Charts, metrics, and the API below /v1',
    type: 'ui',
    masked: false,
    schemeOverride: null,
    username: null,
    path: '',
    query: {},
  })
  return [await origin.export([pages])]
})

const setDependencies = sdk.setupDependencies(async () => ({
  bitcoind: { kind: 'running', versionRange: '>=28.3:8', healthChecks: ['bitcoind'] },
}))

export { actions }
export const init = sdk.setupInit(restoreInit, versionGraph, setInterfaces, setDependencies, actions)
export const uninit = sdk.setupUninit(versionGraph)
export const manifest = buildManifest(versionGraph, ours)
export { main }
