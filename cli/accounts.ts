import { type Command, InvalidArgumentError } from 'commander'
import { createAccount, createKey, listAccounts, listKeys, revokeKey, setTier } from '#api/accounts/commands.ts'
import { accountTiers } from '#contract/tiers.ts'

/** A command and what it prints, given the data folder. */
type AddCommand = (command: Command, run: (dataDir: string) => Promise<string>) => void

/** Adds `accounts …` and `keys …` to the program; `add` gives each command its flags and runs it. */
export function addAccountCommands(program: Command, environment: NodeJS.ProcessEnv, add: AddCommand): void {
  const tiers = accountTiers.join(', ')
  const accounts = program.command('accounts').description('who may use the API, and with which tier')
  const create = accounts
    .command('create')
    .argument('<email>')
    .option('--tier <tier>', `one of ${tiers}`, 'free')
    .description('make an account; its user signs in over HTTP with the password in ACCOUNT_PASSWORD, if that is set')
  add(create, (dataDir) =>
    createAccount(dataDir, create.args[0] ?? '', String(create.opts().tier), environment.ACCOUNT_PASSWORD),
  )
  const list = accounts.command('list').description('all accounts')
  add(list, listAccounts)
  const tier = accounts.command('set-tier').argument('<email>').argument('<tier>', `one of ${tiers}`)
  add(tier.description('change the tier of an account'), (dataDir) =>
    setTier(dataDir, tier.args[0] ?? '', tier.args[1] ?? ''),
  )

  const keys = program.command('keys').description('API keys of an account')
  const createKeyCommand = keys
    .command('create')
    .argument('<email>')
    .option('--name <name>', 'what the key is for', 'key')
    .option('--days <days>', 'days after which it expires', wholeDays)
    .description('make a key; it is shown only now')
  add(createKeyCommand, (dataDir) => {
    const { name, days } = createKeyCommand.opts<{ name: string; days?: number }>()
    return createKey(dataDir, createKeyCommand.args[0] ?? '', name, days)
  })
  const listKeysCommand = keys.command('list').argument('<email>').description('keys of an account, by their beginning')
  add(listKeysCommand, (dataDir) => listKeys(dataDir, listKeysCommand.args[0] ?? ''))
  const revoke = keys.command('revoke').argument('<key>', 'beginning of the key, as listed').description('end a key')
  add(revoke, (dataDir) => revokeKey(dataDir, revoke.args[0] ?? ''))
}

function wholeDays(text: string): number {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > 36_500) throw new InvalidArgumentError('must be 1 to 36500 days.')
  return days
}
