import { type Command, InvalidArgumentError } from 'commander'
import {
  createAccount,
  createKey,
  createResetLink,
  listAccounts,
  listKeys,
  printAccountLog,
  revokeKey,
  setTier,
} from '#accounts/commands.ts'
import { copyAccounts } from '#accounts/postgres-copy.ts'
import { linkAddress } from '#api/http/service-address.ts'
import { accountTiers } from '#contract/tiers.ts'
import { definePrintingCommand } from './flags.ts'
import type { ProcessContext } from './process-context.ts'

const tiers = accountTiers.join(', ')

export function addAccountCommands(program: Command, context: ProcessContext): void {
  const accounts = program.command('accounts').description('who may use the API, and with which tier')
  definePrintingCommand(
    accounts
      .command('create <email>')
      .option('--tier <tier>', `one of ${tiers}`, 'free')
      .description(
        'create an account; its user signs in over HTTP with the password in ACCOUNT_PASSWORD, if it is set',
      ),
    context,
    (settings, { tier }: { tier: string }, [email = '']) =>
      createAccount(settings, email, tier, context.environment.ACCOUNT_PASSWORD),
  )
  definePrintingCommand(accounts.command('list').description('all accounts'), context, listAccounts)
  definePrintingCommand(
    accounts
      .command('set-tier <email>')
      .argument('<tier>', `one of ${tiers}`)
      .option('--verified', 'you know that the account belongs to the owner of the address')
      .description('change the tier of an account'),
    context,
    (settings, { verified = false }: { verified?: boolean }, [email = '', tier = '']) =>
      setTier(settings, email, tier, verified),
  )
  definePrintingCommand(
    accounts
      .command('reset-link <email>')
      .option('--tier <tier>', `tier of a new account: one of ${tiers} (default free)`)
      .option(
        '--forget-factors',
        'also remove the second factor, recovery codes and passkeys, for somebody who has lost them',
      )
      .description(
        'print a link that sets a password, once and within 30 minutes; it also invites people without an account',
      ),
    context,
    (settings, { tier, forgetFactors = false }: { tier?: string; forgetFactors?: boolean }, [email = '']) =>
      createResetLink(settings, linkAddress(settings), email, tier, forgetFactors),
  )
  definePrintingCommand(
    accounts
      .command('copy')
      .description(
        'copy all accounts with their keys and all else from the data folder to the PostgreSQL of DATABASE_URL, which must have none',
      ),
    context,
    copyAccounts,
  )

  definePrintingCommand(
    accounts
      .command('log')
      .argument('[email]', 'one account instead of all')
      .description('changes of rights, keys, factors and settings within a year: when, of whom, what, by whom'),
    context,
    (settings, _, [email]) => printAccountLog(settings, email),
  )

  const keys = program.command('keys').description('API keys of an account')
  definePrintingCommand(
    keys
      .command('create <email>')
      .option('--name <name>', 'what the key is for', 'key')
      .option('--days <days>', 'days until it expires', parseDays)
      .description('create a key; it is shown only once'),
    context,
    (settings, { name, days }: { name: string; days?: number }, [email = '']) => createKey(settings, email, name, days),
  )
  definePrintingCommand(
    keys.command('list <email>').description('keys of an account, each with its first characters'),
    context,
    (settings, _, [email = '']) => listKeys(settings, email),
  )
  definePrintingCommand(
    keys.command('revoke').argument('<key>', 'first characters of the key, as listed').description('end a key'),
    context,
    (settings, _, [key = '']) => revokeKey(settings, key),
  )
}

function parseDays(text: string): number {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > 36_500) throw new InvalidArgumentError('must be 1 to 36500 days.')
  return days
}
