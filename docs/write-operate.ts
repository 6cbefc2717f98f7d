import { readFileSync } from 'node:fs'
import { describeError, type ErrorCode, errorCodes } from '#base/errors.ts'
import { type Problem, problemCodes } from '#contract/operational-state.ts'
import { replaceFile } from '#sql/files.ts'
import { withFirstRun } from './first-run.ts'
import { withTable } from './generated-table.ts'

const pageFile = new URL('operate.md', import.meta.url).pathname

/** General advice; the message of an error is more specific. */
const errorCures: Readonly<Record<ErrorCode, string>> = {
  invalid_argument: 'Correct the command line; `--help` after the command lists what it takes.',
  invalid_configuration: 'Correct the setting that the message names; [settings](settings.md) lists all of them.',
  invalid_file:
    'Correct the file that you import. If it is a file of the data folder, `coinstrata compute` publishes again and `coinstrata rollback` goes back.',
  formula_invalid: 'Correct the formula; `/v1/metrics` lists the ids of metrics.',
  data_folder_in_use: 'Wait until the other run has ended; `coinstrata status` shows it.',
  data_folder_mismatch: 'Give each network its own data folder; after a downgrade, install the newer version again.',
  data_folder_unwritable: 'Correct the owner or mode of the data folder, or set `DATA_DIR` to another one.',
  data_not_ready: 'Run `coinstrata update`.',
  generation_missing: '`coinstrata generations` lists the generations that are kept.',
  disk_full: 'Free some space, or move the data folder to a larger disk, and run it again: nothing was lost.',
  memory_exhausted: 'Raise `MEMORY_LIMIT`, or give the machine or container more memory.',
  source_not_found:
    'Mount the disk of the node, set `BITCOIN_DATADIR` or `BITCOIN_BLOCKSDIR`, and check `BITCOIN_NETWORK`.',
  source_unreadable: 'Add the user that runs Coinstrata to the group of the node, or read over RPC (`--source rpc`).',
  wrong_network: 'Set `BITCOIN_NETWORK`. If you copied the files, copy `xor.dat` too.',
  pruned: 'Set `prune=0` and let the node download the chain again, or read another node over RPC.',
  undo_missing: 'Let the node finish its sync. If it has finished, restart it with `-reindex`.',
  undo_outdated: 'Restart the node with `-reindex`, or read another, newer node over RPC.',
  undo_ambiguous: 'Make the RPC of the node reachable: it distinguishes the two.',
  block_corrupt: 'Check the disk of the node. Make its RPC reachable, or restart the node with `-reindex`.',
  chain_incomplete: 'Start the node, which then reports the complete chain, or restart it with `-reindex`.',
  chain_shrunk: 'Start the node, which then confirms its chain. `--allow-shorter` accepts the files as they are.',
  rpc_unreachable: 'Start the node with `server=1`; check `BITCOIN_RPC_URL`.',
  rpc_refused:
    'Check `BITCOIN_RPC_USER` and `BITCOIN_RPC_PASSWORD`, and that the data directory (with the cookie) belongs to this node. If the node answers 403, check `rpcallowip` and `rpcwhitelist`.',
  rpc_failed: 'See `debug.log` of the node. Bitcoin Core 23 or newer is needed.',
  market_source_failed:
    '`coinstrata sources` gives the reason for each source. The next run continues where the stored data end.',
  market_source_blocked: 'You need not do anything: other sources are used.',
  store_failed:
    'Check the address, rights and keys of the store, and the network. The next run copies what is missing.',
  store_damaged: 'Run `coinstrata publish` on the machine that computes ([more than one machine](scale.md)).',
  store_conflict: 'Give each data folder that publishes its own address ([more than one machine](scale.md)).',
  accounts_unavailable:
    'Check `DATABASE_URL` and the PostgreSQL behind it, or wait until nothing else holds `state/accounts.db`. Keys that were used lately stay valid meanwhile.',
  audit_failed:
    'Run `coinstrata audit --verify`, and check the disk of the node. The data from before are still served.',
  schema_mismatch: 'This is a defect: please report it. The data from before are still served.',
  metric_incomplete: 'Fetch or import the missing prices. If none are missing, please report it.',
  render_timeout: 'Draw fewer series, or a shorter span.',
}

const problemCures: Readonly<Record<Problem['code'], string>> = {
  nothing_published: 'Run `coinstrata update`.',
  generation_damaged:
    '`coinstrata rollback` goes back to another generation; `coinstrata compute` computes this one again.',
  update_failed: 'Look up the code that comes with it below. `coinstrata status` shows the message.',
  update_overdue: 'Check that `coinstrata start` or the timer runs. `coinstrata update` runs the missing update.',
  tip_old: 'Check that the node has newer blocks (`coinstrata doctor`) and that updates run.',
  clock_behind: 'Set the clock of this machine (NTP).',
  prices_old: 'Run `coinstrata fetch`. If that does not help, `coinstrata sources` shows why.',
  market_source_silent:
    '`coinstrata sources` shows why: a changed address, an expired key, a source that no longer exists.',
  fetch_failed: '`coinstrata sources` gives the reason for each source. The data stay as they are.',
  snapshots_failed: 'The same.',
  proof_failed: 'The log of `coinstrata prove` names the file, offset and block. Check the disk of the node.',
  publish_failed:
    'Check the store of generations (`store_failed` and others below). The data on this machine are not affected.',
  disk_full: 'Free some space now: not even failures can be recorded.',
  disk_low: 'Free some space, or move the data folder.',
  journal_unreadable: 'If it stays unreadable, remove `state/runs.db`. It holds only the record of runs.',
  limits_not_shared:
    'Check `REDIS_URL` and the Redis behind it ([more than one machine](scale.md#limits-of-several-machines)). Until it answers, each machine grants its share of every limit.',
  accounts_unavailable:
    'Check `DATABASE_URL` and the PostgreSQL behind it (`coinstrata doctor`). Until it answers, keys and sessions that were used in the last ten minutes stay valid, and all others get 503 ([more than one machine](scale.md#accounts-of-several-machines)).',
}

const errorsHeader = '| code | exit code | what it means | what to do |\n|---|---|---|---|\n'
const problemsHeader = '| problem | what to do |\n|---|---|\n'

/** Updates the tables of the page for operators. */
export const withCodes = (page: string): string =>
  withTable(
    withTable(
      withFirstRun(page),
      problemsHeader,
      problemCodes.map((code) => `| \`${code}\` | ${problemCures[code]} |`),
    ),
    errorsHeader,
    errorCodes.map((code) => {
      const [exitCode, meaning] = describeError(code)
      return `| \`${code}\` | ${exitCode} | ${meaning} | ${errorCures[code]} |`
    }),
  )

if (import.meta.main) replaceFile(pageFile, withCodes(readFileSync(pageFile, 'utf8')))
