import type { Logger } from '#base/log.ts'
import type { Mailer } from '#base/mailer.ts'
import type { AlertChannel } from '#contract/alerts.ts'
import { type Problem, toProblem } from '#contract/operational-state.ts'
import type { Admission } from '#limits/admission.ts'
import type { Attempts } from '#limits/attempts.ts'
import type { Counters } from '#limits/counters.ts'
import type { DailyQuotas } from '#limits/limiter.ts'
import { Accounts } from './accounts.ts'
import { Boards } from './boards.ts'
import { AccountLog } from './database/account-log.ts'
import { PostgresAccounts } from './database/postgres.ts'
import { SqliteAccounts } from './database/sqlite.ts'
import type { AccountsDatabase } from './database/statements.ts'
import { ApiKeys } from './keys.ts'
import { Clients } from './oauth/clients.ts'
import { Grants } from './oauth/grants.ts'
import { Tokens } from './oauth/tokens.ts'
import { OneTimeLinks } from './one-time-links.ts'
import { Passkeys } from './passkeys.ts'
import { type PasswordCost, Passwords } from './passwords.ts'
import { Pictures } from './pictures.ts'
import { SecondFactors } from './second-factors.ts'
import { openSecretsKey, type SecretsKey } from './secrets-key.ts'
import { Sessions } from './sessions.ts'
import { Webhooks } from './webhooks/webhooks.ts'

const unreachable = toProblem(
  'accounts_unavailable',
  'degraded',
  'PostgreSQL does not answer: only recently used keys and sessions work',
)

export function createAccountStores(database: AccountsDatabase, key: SecretsKey, log?: Logger, cost?: PasswordCost) {
  const passwords = new Passwords(cost)
  return {
    passwords,
    accounts: new Accounts(database, passwords),
    accountLog: new AccountLog(database),
    keys: new ApiKeys(database, log),
    sessions: new Sessions(database, log),
    links: new OneTimeLinks(database),
    factors: new SecondFactors(database, key),
    passkeys: new Passkeys(database),
    pictures: new Pictures(database),
    boards: new Boards(database),
    webhooks: new Webhooks(database),
    clients: new Clients(database),
    grants: new Grants(database),
    tokens: new Tokens(database, log),
    problems: (): Problem[] => (database.isUnreachable ? [unreachable] : []),
    close: () => database.close(),
  }
}

/** Without an address, SQLite in the data folder. */
export interface StoreSettings {
  readonly DATA_DIR: string
  readonly DATABASE_URL?: string | undefined
  readonly SECRETS_KEY?: string | undefined
}

export async function openAccountStores(
  { DATA_DIR: dataDir, DATABASE_URL: url, SECRETS_KEY: key }: StoreSettings,
  log?: Logger,
  passwordCost?: PasswordCost,
): Promise<AccountStores> {
  const database = url === undefined ? SqliteAccounts.open(dataDir) : await PostgresAccounts.open(url)
  return createAccountStores(database, openSecretsKey(dataDir, key), log, passwordCost)
}

/** Accounts are created by everybody, by people with the operator's link, or by nobody. */
export type SignUp = 'open' | 'invited' | 'off'

export type AccountStores = ReturnType<typeof createAccountStores>

export interface AccountServices extends Omit<AccountStores, 'close' | 'problems'> {
  readonly counters: Counters
  readonly admission: Admission
  readonly attempts: Attempts
  readonly quotas: DailyQuotas
  readonly signUp: SignUp
  readonly mailer: Mailer | undefined
  readonly alertChannels: readonly AlertChannel[]
}
