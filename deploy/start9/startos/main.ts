import { FileHelper } from '@start9labs/start-sdk'
import { nodeAddress, openContainer, runAs } from './program'
import { sdk } from './sdk'

export const port = 3000

export const main = sdk.setupMain(async ({ effects }) => {
  const container = await openContainer(effects, 'coinstrata')
  // Restarts when the node writes a new cookie, at each of its starts.
  await FileHelper.string(`${container.rootfs}/bitcoin/.cookie`).read().const(effects)
  const node = await nodeAddress(effects).const()
  return sdk.Daemons.of(effects).addDaemon('service', {
    subcontainer: container,
    exec: { command: sdk.useEntrypoint(), ...runAs(node) },
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
