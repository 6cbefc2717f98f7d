const errors = {
  invalid_argument: [2, 'An argument of the command line cannot be used as it is.'],
  invalid_configuration: [2, 'A setting cannot be used as it is.'],
  invalid_file: [2, 'An imported file, or a file of the data folder, does not have the right form.'],
  formula_invalid: [2, 'A formula is not valid, or refers to an unknown metric.'],
  data_folder_in_use: [3, 'Another run is writing to the data folder.'],
  data_folder_mismatch: [3, 'The data folder belongs to another network, or to a newer version of the program.'],
  data_folder_unwritable: [3, 'This user may not write to the data folder.'],
  data_not_ready: [3, 'Nothing is published or ingested yet.'],
  generation_missing: [3, 'This generation does not exist, or there is none before the current one.'],
  disk_full: [3, 'There is no space left on the disk.'],
  memory_exhausted: [3, 'The work needs more memory than it may use.'],
  source_not_found: [4, 'There is no node at the place that the settings name.'],
  source_unreadable: [4, 'This user cannot read the files of the node.'],
  wrong_network: [4, 'The node is on another network than the settings say.'],
  pruned: [4, 'The node has removed old blocks.'],
  undo_missing: [4, 'A block has no matching undo record.'],
  undo_outdated: [4, 'Undo records come from an old version of the node that did not store heights.'],
  undo_ambiguous: [4, 'Two different undo records fit one block.'],
  block_corrupt: [4, 'A block or undo record does not match its hash or checksum.'],
  chain_incomplete: [4, 'A block is missing that the node must have had before.'],
  chain_shrunk: [4, 'The files of the node contain a chain with less work than the one that was scanned before.'],
  rpc_unreachable: [4, 'The RPC of the node does not answer.'],
  rpc_refused: [4, 'The RPC of the node refused access.'],
  rpc_failed: [4, 'The RPC of the node answered with an error, or not as expected.'],
  market_source_failed: [4, 'A source of market data did not answer as documented.'],
  market_source_blocked: [4, 'A source of market data does not serve this country.'],
  store_failed: [4, 'A store of generations cannot be reached, refuses access, or does not answer as documented.'],
  store_damaged: [4, 'The content of a store is not what was published there.'],
  store_conflict: [3, 'Another data folder publishes to the same store.'],
  accounts_unavailable: [4, 'The database of accounts cannot be reached, or another process holds it.'],
  audit_failed: [5, 'The totals do not match: nothing is published.'],
  schema_mismatch: [5, 'A table does not match its declaration: nothing is published.'],
  metric_incomplete: [5, 'A metric that must have no gap has one: everything computed from it would be wrong.'],
  render_timeout: [6, 'A chart took too long to draw.'],
} as const

export type ErrorCode = keyof typeof errors
export const errorCodes = Object.keys(errors).filter((code): code is ErrorCode => code in errors)

export const describeError = (code: ErrorCode): readonly [exitCode: number, meaning: string] => errors[code]

/** An expected failure, shown without a stack trace: the message says what is wrong and where, `cure` what to do about it. */
export class CoinstrataError extends Error {
  readonly code: ErrorCode
  readonly cure: string | undefined

  constructor(code: ErrorCode, message: string, options: { cure?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'CoinstrataError'
    this.code = code
    this.cure = options.cure
  }

  get exitCode(): number {
    return errors[this.code][0]
  }
}

/** Matches errors of Node.js and of the operating system, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
