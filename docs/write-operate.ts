import { readFileSync } from 'node:fs'
import { type Problem, problemCodes } from '#contract/operational-state.ts'
import { describeError, type ErrorCode, errorCodes } from '#root/errors.ts'
import { replaceFile } from '#sql/files.ts'
import { withFirstRun } from './first-run.ts'
import { withTable } from './generated-table.ts'

const pageFile = new URL('operate.md', import.meta.url).pathname

/** What helps in most cases; the message of an error says more, since it knows the place. */
const cures: Readonly<Record<ErrorCode, string>> = {
  invalid_argument: 'Correct the command line; `--help` after the command tells what it takes.',
  invalid_configuration: 'Correct the setting that the message names; [settings](settings.md) lists all of them.',
  invalid_file:
    'Correct the file that was to be imported. Of files of the data folder: `coinstrata compute` publishes anew, `coinstrata rollback` goes back.',
  formula_invalid: 'Correct the formula; `/v1/metrics` lists the ids of metrics.',
  data_folder_in_use: 'Wait until the other run has ended; `coinstrata status` shows it.',
  data_folder_mismatch:
    'Give each network a data folder of its own; after a downgrade install the newer version again.',
  data_folder_unwritable: 'Correct owner or mode of the data folder, or set `DATA_DIR`.',
  data_not_ready: 'Run `coinstrata update`.',
  generation_missing: '`coinstrata generations` lists those that are kept.',
  disk_full: 'Free some space, or move the data folder to a larger disk, and run again: nothing was lost.',
  memory_exhausted: 'Raise `MEMORY_LIMIT`, or give the machine or container more memory.',
  source_not_found:
    'Mount the disk of the node; set `BITCOIN_DATADIR`, or `BITCOIN_BLOCKSDIR`; check `BITCOIN_NETWORK`.',
  source_unreadable: 'Add the user that runs Coinstrata to the group of the node, or read over RPC (`--source rpc`).',
  wrong_network: 'Set `BITCOIN_NETWORK`. Where files were copied: copy `xor.dat`, too.',
  pruned: 'Set `prune=0` and let the node download the chain again, or read another node over RPC.',
  undo_missing: 'Let the node finish its sync. Where it has: restart it with `-reindex`.',
  undo_outdated: 'Restart the node with `-reindex`, or read another, newer node over RPC.',
  undo_ambiguous: 'Let the RPC of the node be reachable, which tells the two apart.',
  block_corrupt: 'Check the disk of the node; let its RPC be reachable, or restart it with `-reindex`.',
  chain_incomplete: 'Start the node, so that it tells which chain is whole, or restart it with `-reindex`.',
  chain_shrunk: 'Start the node, so that it confirms its chain. `--allow-shorter` takes the files as they are.',
  rpc_unreachable: 'Start the node with `server=1`; check `BITCOIN_RPC_URL`.',
  rpc_refused:
    'Check `BITCOIN_RPC_USER` and `BITCOIN_RPC_PASSWORD`, or that the data directory is that of this node (its cookie); `rpcallowip` and `rpcwhitelist` where the node answers 403.',
  rpc_failed: 'See `debug.log` of the node; Bitcoin Core 23 or newer is needed.',
  market_source_failed: '`coinstrata sources` says why of each; the next run goes on where stored data end.',
  market_source_blocked: 'Nothing needs doing: other sources are used.',
  store_failed: 'Check address, rights and keys of the store, and the network; the next run copies what is missing.',
  store_damaged: 'Run `coinstrata publish` where the data are computed; docs/scale.md.',
  store_conflict: 'Give each data folder that publishes an address of its own; docs/scale.md.',
  audit_failed: 'Run `coinstrata audit --verify`, and check the disk of the node. What was published before is served.',
  schema_mismatch: 'This is a defect: please report it. What was published before is served.',
  metric_incomplete: 'Fetch or import what is missing of prices; else please report it.',
  render_timeout: 'Draw fewer series, or a shorter span.',
}

const curesOfProblems: Readonly<Record<Problem['code'], string>> = {
  nothing_published: 'Run `coinstrata update`.',
  generation_damaged: '`coinstrata rollback` goes back to another generation, `coinstrata compute` makes it anew.',
  update_failed: 'The code of the run stands beside it: see below. `coinstrata status` has the message.',
  update_overdue: 'See that `coinstrata start` or the timer runs; `coinstrata update` makes it up.',
  tip_old: 'See that the node has newer blocks (`coinstrata doctor`), and that updates run.',
  clock_behind: 'Set the clock of this machine (NTP).',
  prices_old: '`coinstrata fetch`, then `coinstrata sources` where that does not help.',
  market_source_silent: '`coinstrata sources` says why: an address, a key that has expired, a source that ended.',
  fetch_failed: '`coinstrata sources` says why of each source; the data stay as they are.',
  snapshots_failed: 'The same.',
  proof_failed: 'The log of `coinstrata prove` names file, offset and block: check the disk of the node.',
  publish_failed:
    'Check the store of generations (`store_failed` and others below); the data here are as good as before.',
  disk_full: 'Free some space at once: not even failures can be noted.',
  disk_low: 'Free some space, or move the data folder.',
  journal_unreadable: 'Where it stays so, remove `state/runs.db`, which only holds what ran.',
  limits_not_shared:
    'Check `REDIS_URL` and the Redis behind it ([more than one machine](scale.md#limits-of-several-machines)); until it answers each machine grants its share of every limit.',
}

const errorsHeader = '| code | exit code | what it means | what to do |\n|---|---|---|---|\n'
const problemsHeader = '| problem | what to do |\n|---|---|\n'

/** The page for operators with its tables as the source has them now. */
export const withCodes = (page: string): string =>
  withTable(
    withTable(
      withFirstRun(page),
      problemsHeader,
      problemCodes.map((code) => `| \`${code}\` | ${curesOfProblems[code]} |`),
    ),
    errorsHeader,
    errorCodes.map((code) => {
      const [exitCode, meaning] = describeError(code)
      return `| \`${code}\` | ${exitCode} | ${meaning} | ${cures[code]} |`
    }),
  )

if (import.meta.main) replaceFile(pageFile, withCodes(readFileSync(pageFile, 'utf8')))
