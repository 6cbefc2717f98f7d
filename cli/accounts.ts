import { type Command, InvalidArgumentError } from 'commander'
import {
  createAccount,
  createKey,
  listAccounts,
  listKeys,
  makeResetLink,
  revokeKey,
  setTier,
} from '#accounts/commands.ts'
import { copyAccounts } from '#accounts/copy.ts'
import { linkAddress } from '#api/http/service-address.ts'
import { accountTiers } from '#contract/tiers.ts'
import type { Settings } from '#root/config.ts'

/** A command and what it prints, given all settings. */
type AddCommand = (command: Command, run: (settings: Settings) => Promise<string>) => void

/** Adds `accounts …` and `keys …` to the program; `add` gives each command its flags and runs it. */
export function addAccountCommands(program: Command, environment: NodeJS.ProcessEnv, add: AddCommand): void {
  const tiers = accountTiers.join(', ')
  const accounts = program.command('accounts').description('who may use the API, and with which tier')
  const create = accounts
    .command('create')
    .argument('<email>')
    .option('--tier <tier>', `one of ${tiers}`, 'free')
    .description('create an account; its user signs in over HTTP with the password in ACCOUNT_PASSWORD, if it is set')
  add(create, (settings) =>
    createAccount(settings, create.args[0] ?? '', String(create.opts().tier), environment.ACCOUNT_PASSWORD),
  )
  const list = accounts.command('list').description('all accounts')
  add(list, listAccounts)
  const tier = accounts.command('set-tier').argument('<email>').argument('<tier>', `one of ${tiers}`)
  add(tier.description('change the tier of an account'), (settings) =>
    setTier(settings, tier.args[0] ?? '', tier.args[1] ?? ''),
  )
  const link = accounts
    .command('reset-link')
    .argument('<email>')
    .option('--tier <tier>', `tier of a new account: one of ${tiers} (default free)`)
    .option(
      '--forget-factors',
      'also remove the second factor, recovery codes and passkeys, for somebody who has lost them',
    )
    .description(
      'print a link that sets a password, once and within 30 minutes; it also invites people without an account',
    )
  add(link, (settings) => {
    const { tier: given, forgetFactors = false } = link.opts<{ tier?: string; forgetFactors?: boolean }>()
    return makeResetLink(settings, linkAddress(settings), link.args[0] ?? '', given, forgetFactors)
  })
  const copy = accounts.command('copy')
  add(
    copy.description(
      'copy all accounts with their keys and all else from the data folder to the PostgreSQL of DATABASE_URL, which must have none',
    ),
    copyAccounts,
  )

  const keys = program.command('keys').description('API keys of an account')
  const createKeyCommand = keys
    .command('create')
    .argument('<email>')
    .option('--name <name>', 'what the key is for', 'key')
    .option('--days <days>', 'days until it expires', wholeDays)
    .description('create a key; it is shown only once')
  add(createKeyCommand, (settings) => {
    const { name, days } = createKeyCommand.opts<{ name: string; days?: number }>()
    return createKey(settings, createKeyCommand.args[0] ?? '', name, days)
  })
  const listKeysCommand = keys
    .command('list')
    .argument('<email>')
    .description('keys of an account, each with its first characters')
  add(listKeysCommand, (settings) => listKeys(settings, listKeysCommand.args[0] ?? ''))
  const revoke = keys
    .command('revoke')
    .argument('<key>', 'first characters of the key, as listed')
    .description('end a key')
  add(revoke, (settings) => revokeKey(settings, revoke.args[0] ?? ''))
}

function wholeDays(text: string): number {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > 36_500) throw new InvalidArgumentError('must be 1 to 36500 days.')
  return days
}
