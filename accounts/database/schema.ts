import type { Schema } from '#state/open-database.ts'

/**
 * Written for SQLite; `toPostgres` translates. Tables refer only to tables above. Alerts without an
 * account are the operator's, under open access.
 */
export const accountsSchema: Schema = [
  `
    CREATE TABLE accounts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      email TEXT NOT NULL UNIQUE,
      password_hash TEXT,
      tier TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      verified_at INTEGER
    ) STRICT;
    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      hash BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER,
      last_used_at INTEGER
    ) STRICT;
    CREATE INDEX api_keys_of_account ON api_keys(account_id);
    CREATE TABLE sessions (
      hash BLOB PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER NOT NULL,
      confirmed_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      user_agent TEXT NOT NULL
    ) STRICT;
    CREATE INDEX sessions_of_account ON sessions(account_id);
    CREATE TABLE one_time_links (
      hash BLOB PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      purpose TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE one_time_codes (
      account_id INTEGER PRIMARY KEY REFERENCES accounts(id) ON DELETE CASCADE,
      secret BLOB NOT NULL,
      confirmed_at INTEGER,
      last_step INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE recovery_codes (
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      hash BLOB NOT NULL,
      PRIMARY KEY (account_id, hash)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE passkeys (
      id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      site TEXT NOT NULL,
      public_key BLOB NOT NULL,
      sign_count INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER
    ) STRICT;
    CREATE INDEX passkeys_of_account ON passkeys(account_id);
    CREATE TABLE pictures (
      id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      request TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pictures_of_account ON pictures(account_id);
    CREATE TABLE boards (
      account_id INTEGER PRIMARY KEY REFERENCES accounts(id) ON DELETE CASCADE,
      content TEXT NOT NULL,
      share TEXT UNIQUE
    ) STRICT;
    CREATE TABLE webhooks (
      id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      secret BLOB NOT NULL,
      earlier_secret BLOB,
      earlier_until INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      delivered_at INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      failing_since INTEGER,
      retry_at INTEGER,
      problem TEXT,
      disabled_at INTEGER,
      taken_until INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX webhooks_of_account ON webhooks(account_id);
    CREATE TABLE webhook_deliveries (
      id TEXT PRIMARY KEY,
      webhook_id TEXT NOT NULL REFERENCES webhooks(id) ON DELETE CASCADE,
      event TEXT NOT NULL,
      body TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      UNIQUE (webhook_id, event)
    ) STRICT;
    CREATE TABLE announced_events (
      event TEXT PRIMARY KEY,
      state TEXT NOT NULL
    ) STRICT;
    CREATE TABLE oauth_clients (
      id TEXT PRIMARY KEY,
      metadata TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT;
    CREATE TABLE oauth_grants (
      id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      client_id TEXT NOT NULL,
      client_name TEXT NOT NULL,
      redirect_uri TEXT NOT NULL,
      resource TEXT NOT NULL,
      tier TEXT NOT NULL,
      may_refresh INTEGER NOT NULL,
      code_hash BLOB NOT NULL UNIQUE,
      code_challenge TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      redeemed_at INTEGER,
      last_used_at INTEGER,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX oauth_grants_of_account ON oauth_grants(account_id);
    CREATE INDEX oauth_grants_of_client ON oauth_grants(client_id);
    CREATE TABLE oauth_tokens (
      hash BLOB PRIMARY KEY,
      grant_id TEXT NOT NULL REFERENCES oauth_grants(id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT;
    CREATE INDEX oauth_tokens_of_grant ON oauth_tokens(grant_id);
    CREATE TABLE passkey_challenges (
      hash BLOB PRIMARY KEY,
      account_id INTEGER REFERENCES accounts(id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX passkey_challenges_by_end ON passkey_challenges(expires_at);
    CREATE TABLE alerts (
      id TEXT PRIMARY KEY,
      account_id INTEGER REFERENCES accounts(id) ON DELETE CASCADE,
      definition TEXT NOT NULL,
      secret BLOB,
      active INTEGER NOT NULL DEFAULT 1,
      revision INTEGER NOT NULL DEFAULT 1,
      created_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      evaluated TEXT NOT NULL DEFAULT '',
      evaluated_at INTEGER NOT NULL,
      notice_at INTEGER
    ) STRICT;
    CREATE INDEX alerts_of_account ON alerts(account_id);
    CREATE TABLE alert_events (
      id TEXT PRIMARY KEY,
      alert_id TEXT NOT NULL REFERENCES alerts(id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX alert_events_of_alert ON alert_events(alert_id);
    CREATE TABLE alert_deliveries (
      event_id TEXT NOT NULL REFERENCES alert_events(id) ON DELETE CASCADE,
      channel TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      delivered_at INTEGER,
      retry_at INTEGER,
      taken_until INTEGER NOT NULL DEFAULT 0,
      problem TEXT,
      PRIMARY KEY (event_id, channel)
    ) STRICT;
    CREATE INDEX alert_deliveries_waiting ON alert_deliveries(retry_at) WHERE retry_at IS NOT NULL;`,
  // Some files of version 1 have the first table.
  `
    CREATE TABLE IF NOT EXISTS alert_quotas (
      owner INTEGER PRIMARY KEY,
      day INTEGER NOT NULL,
      sent INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE account_log (
      account_id INTEGER REFERENCES accounts(id) ON DELETE SET NULL,
      change TEXT NOT NULL,
      detail TEXT NOT NULL,
      actor TEXT NOT NULL,
      address TEXT,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX account_log_of_account ON account_log(account_id, change);
    CREATE INDEX account_log_by_time ON account_log(created_at);
    ALTER TABLE api_keys ADD COLUMN limits TEXT;`,
]

/** Adds a `rowid`, by which SQLite orders rows of the same time. */
export const toPostgres = (sql: string): string =>
  sql
    .replaceAll('INTEGER PRIMARY KEY AUTOINCREMENT', 'BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY')
    .replaceAll('INTEGER', 'BIGINT')
    .replaceAll('BLOB', 'BYTEA')
    .replaceAll(/\) STRICT(, WITHOUT ROWID)?;/g, ', rowid BIGINT GENERATED ALWAYS AS IDENTITY);')
