const errors = {
  invalid_argument: [2, 'An argument of the command line cannot be used as it is.'],
  invalid_configuration: [2, 'A setting cannot be used as it is.'],
  invalid_file: [2, 'An imported file, or a file of the data folder, does not have the right form.'],
  formula_invalid: [2, 'A formula is not valid, or refers to an unknown metric.'],
  data_folder_in_use: [3, 'Another run is writing to the data folder.'],
  data_folder_damaged: [3, 'A stored file that cannot be computed again does not match its checksum.'],
  data_folder_mismatch: [
    3,
    'The data folder belongs to another network, or to a version of the program with another format.',
  ],
  data_folder_unwritable: [3, 'This user may not write to the data folder.'],
  data_not_ready: [3, 'Nothing is published or ingested yet.'],
  rescan_needed: [3, 'All blocks must be read again, which waits until you allow it.'],
  generation_missing: [3, 'This generation does not exist, or there is none before the current one.'],
  disk_full: [3, 'There is no space left on the disk.'],
  memory_exhausted: [3, 'The work needs more memory than it may use.'],
  source_not_found: [4, 'There is no node at the place that the settings name.'],
  source_unreadable: [4, 'This user cannot read the files of the node.'],
  wrong_network: [4, 'The node is on another network than the settings say.'],
  wrong_chain: [4, 'The node follows a chain that split from the one of the network.'],
  pruned: [4, 'The node has removed old blocks.'],
  undo_missing: [4, 'A block has no matching undo record.'],
  undo_outdated: [4, 'Undo records come from an old version of the node that did not store heights.'],
  undo_ambiguous: [4, 'Two different undo records fit one block.'],
  block_corrupt: [4, 'A block or undo record does not match its hash or checksum.'],
  chain_incomplete: [4, 'A block is missing that the node must have had before.'],
  chain_shrunk: [4, 'The files of the node contain a chain with less work than the one that was scanned before.'],
  rpc_unreachable: [4, 'The RPC of the node does not answer.'],
  node_starting: [4, 'The node is starting, or too busy to answer.'],
  rpc_refused: [4, 'The RPC of the node refused access.'],
  rpc_failed: [4, 'The RPC of the node answered with an error, or not as expected.'],
  market_source_failed: [4, 'A source of market data did not answer as documented.'],
  market_source_blocked: [4, 'A source of market data does not serve this country.'],
  store_failed: [4, 'A store of generations cannot be reached, refuses access, or does not answer as documented.'],
  store_damaged: [4, 'The content of a store is not what was published there.'],
  store_conflict: [3, 'Another data folder publishes to the same store.'],
  comparison_failed: [4, 'The history to compare with cannot be read, is not what it says, or is of another network.'],
  accounts_unavailable: [4, 'The database of accounts cannot be reached, or another process holds it.'],
  mail_failed: [4, 'The mail server cannot be reached, or does not accept a mail.'],
  mail_refused: [4, 'The mail server refuses the recipient.'],
  secrets_key_wrong: [2, 'The key of the secrets of one-time codes is another one, or missing.'],
  history_refused: [5, 'The history of another operator is not what the blocks or coins of the node say.'],
  audit_failed: [5, 'The totals do not match: nothing is published.'],
  schema_mismatch: [5, 'A table does not match its declaration: nothing is published.'],
  metric_incomplete: [5, 'A metric that must have no gap has one: everything computed from it would be wrong.'],
  render_timeout: [6, 'A chart took too long to draw.'],
} as const

export type ErrorCode = keyof typeof errors
export const errorCodes = Object.keys(errors).filter((code): code is ErrorCode => code in errors)

/** General advice; an error's own cure is more specific. */
const cures: Readonly<Record<ErrorCode, string>> = {
  invalid_argument: 'Correct the command line; "--help" after the command lists what it takes.',
  invalid_configuration: 'Correct the setting that the message names; the documentation lists all of them.',
  invalid_file:
    'Correct the file that you import. If it is a file of the data folder, "coinstrata compute" publishes again and "coinstrata rollback" goes back.',
  formula_invalid: 'Correct the formula; "/v1/metrics" lists the ids of metrics.',
  data_folder_in_use: 'Wait until the other run has ended; "coinstrata status" shows it.',
  data_folder_damaged:
    'Check the disk. Put the file that the message names back from a backup, or remove it and fetch its data again.',
  data_folder_mismatch: 'Give each network its own data folder; after a downgrade, install the newer version again.',
  data_folder_unwritable: 'Correct the owner or mode of the data folder, or set DATA_DIR to another one.',
  data_not_ready: 'Run "coinstrata update".',
  rescan_needed: 'Run "coinstrata update --yes" when the machine may be busy for that long.',
  generation_missing: '"coinstrata generations" lists the generations that are kept.',
  disk_full: 'Free some space, or move the data folder to a larger disk, and run it again: nothing was lost.',
  memory_exhausted: 'Give the machine or container more memory, or raise MEMORY_LIMIT if that has room.',
  source_not_found: 'Mount the disk of the node, set BITCOIN_DATADIR or BITCOIN_BLOCKSDIR, and check BITCOIN_NETWORK.',
  source_unreadable: 'Add the user that runs Coinstrata to the group of the node, or read over RPC ("--source rpc").',
  wrong_network: 'Set BITCOIN_NETWORK. If you copied the files, copy "xor.dat" too.',
  wrong_chain: 'Use a node that follows the chain of the network, such as Bitcoin Core for mainnet.',
  pruned:
    'Take the history of another operator ("coinstrata bootstrap"), set "prune=0" and let the node download the chain again, or read another node over RPC.',
  undo_missing: 'Let the node finish its sync. If it has finished, restart it with "-reindex".',
  undo_outdated: 'Restart the node with "-reindex", or read another, newer node over RPC.',
  undo_ambiguous: 'Make the RPC of the node reachable: it distinguishes the two.',
  block_corrupt: 'Check the disk of the node. Make its RPC reachable, or restart the node with "-reindex".',
  chain_incomplete: 'Start the node, which then reports the complete chain, or restart it with "-reindex".',
  chain_shrunk: 'Start the node, which then confirms its chain. "--allow-shorter" accepts the files as they are.',
  rpc_unreachable: 'Start the node with "server=1"; check BITCOIN_RPC_URL.',
  node_starting: 'Wait until the node has started; "debug.log" of the node shows how far it is.',
  rpc_refused:
    'Check BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD, and that the data directory (with the cookie) belongs to this node. If the node answers 403, check "rpcallowip" and "rpcwhitelist".',
  rpc_failed: 'See "debug.log" of the node. Bitcoin Core 23 or newer is needed.',
  market_source_failed:
    '"coinstrata sources" gives the reason for each source. The next run continues where the stored data end.',
  market_source_blocked: 'You need not do anything: other sources are used.',
  store_failed:
    'Check the address, rights and keys of the store, and the network. The next run copies what is missing.',
  store_damaged: 'Run "coinstrata publish" on the machine that computes.',
  store_conflict: 'Give each data folder that publishes its own address.',
  comparison_failed:
    'Check the address; it is that of a service of Coinstrata, or a data folder, of the same network and a version that has "compare".',
  accounts_unavailable:
    'Check DATABASE_URL and the PostgreSQL behind it, or wait until nothing else holds "state/accounts.db". Keys that were used lately stay valid meanwhile.',
  mail_failed: 'Check MAIL_URL and MAIL_FROM, and that the server offers TLS. The log has its answer.',
  mail_refused: 'Check the address for errors.',
  secrets_key_wrong:
    'Set SECRETS_KEY to their key, or put "state/secrets.key" back. If it is lost, remove the second factor of each account with "coinstrata accounts reset-link EMAIL --forget-factors".',
  history_refused: 'Take the history of another operator, or scan a node that has all blocks.',
  audit_failed:
    'Run "coinstrata audit --verify", and check the disk of the node. The data from before are still served.',
  schema_mismatch: 'This is a defect: please report it. The data from before are still served.',
  metric_incomplete: 'Fetch or import the missing prices. If none are missing, please report it.',
  render_timeout: 'Draw fewer series, or a shorter span.',
}

export const exitCodeOf = (code: ErrorCode): number => errors[code][0]

export const describeError = (code: ErrorCode): readonly [exitCode: number, meaning: string, cure: string] => [
  ...errors[code],
  cures[code],
]

/** Failures that may pass by themselves, so runs are soon retried. */
const transientCodes: ReadonlySet<string | null> = new Set<ErrorCode>([
  'data_folder_in_use',
  'disk_full',
  // The node's disk may not be mounted yet.
  'source_not_found',
  // Only a running node knows the best chain.
  'chain_incomplete',
  'chain_shrunk',
  'rpc_unreachable',
  'node_starting',
  'market_source_failed',
  'store_failed',
  'mail_failed',
])

export const isTransient = (code: string | null): boolean => transientCodes.has(code)

/** Undefined if no error has this code. */
export function findCure(code: string | null): string | undefined {
  const known = errorCodes.find((one) => one === code)
  return known && cures[known]
}
