import { writeFile } from 'node:fs/promises'
import type { T } from '@start9labs/start-sdk'
import { nodeAddress, openContainer, runAs } from './program'
import { sdk } from './sdk'

const { InputSpec, Value } = sdk
const keyFile = '/tmp/operator.pub'

/** Takes hours, so the action ends before it does. */
async function begin(effects: T.Effects, command: string[], publicKey = '') {
  const container = await openContainer(effects, 'command')
  await writeFile(`${container.rootfs}${keyFile}`, publicKey)
  const options = runAs(await nodeAddress(effects).once())
  container.detach()
  container
    .execFail(['coinstrata', ...command], options, null)
    .then(({ stdout }) => console.info(String(stdout)), console.error)
    .finally(() => container.destroy())
  const message = 'It takes minutes to hours. The logs show what came of it, and so does the page Status.'
  return { version: '1' as const, title: 'It has begun', message, result: null }
}

const auditCoins = sdk.Action.withoutInput(
  'audit-coins',
  {
    name: 'Compare every coin',
    description: 'Lets the node list every unspent output, and compares all of them with what is published',
    warning: 'The node reads all of its coins, which takes some ten minutes on an SSD.',
    allowedStatuses: 'only-running',
    group: null,
    visibility: 'enabled',
  },
  ({ effects }) => begin(effects, ['audit', '--coins']),
)

const bootstrapInput = InputSpec.of({
  store: Value.text({
    name: 'Address of the history',
    description: 'As its operator gives it',
    required: true,
    default: null,
    placeholder: 'https://history.example.org/mainnet',
    inputmode: 'url',
  }),
  publicKey: Value.textarea({
    name: 'Public key of the operator',
    description: 'All lines, from BEGIN PUBLIC KEY to END PUBLIC KEY; get it by another way than the history',
    required: true,
    default: null,
  }),
})

const bootstrap = sdk.Action.withInput(
  'bootstrap',
  {
    name: 'Begin with the history of another operator',
    description: 'For a node that prunes: downloads a history, and compares it with the blocks and coins of the node',
    warning: 'Start Coinstrata again when the logs say that it has ended.',
    allowedStatuses: 'only-stopped',
    group: null,
    visibility: 'enabled',
  },
  bootstrapInput,
  async () => null,
  ({ effects, input }) =>
    begin(effects, ['bootstrap', '--trust', keyFile, '--', input.store.trim()], `${input.publicKey.trim()}\n`),
)

export const actions = sdk.Actions.of().addAction(auditCoins).addAction(bootstrap)
