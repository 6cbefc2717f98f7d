/**
 * Every error a user can meet, by its stable code, with the exit code of the program.
 * Messages say what is wrong and where; `cure` says what to do about it.
 */
const exitCodes = {
  /** A command line, setting or imported file that cannot be used as it is. */
  invalid_argument: 2,
  invalid_configuration: 2,
  invalid_file: 2,
  /** The data folder cannot take this run. */
  data_folder_in_use: 3,
  data_folder_mismatch: 3,
  data_folder_unwritable: 3,
  data_not_ready: 3,
  disk_full: 3,
  /** The node, or what it wrote, cannot be used. */
  source_not_found: 4,
  source_unreadable: 4,
  wrong_network: 4,
  pruned: 4,
  undo_missing: 4,
  undo_outdated: 4,
  undo_ambiguous: 4,
  block_corrupt: 4,
  chain_incomplete: 4,
  chain_shrunk: 4,
  rpc_unreachable: 4,
  rpc_refused: 4,
  rpc_failed: 4,
  /** A market data source did not answer as documented, or does not serve this country. */
  market_source_failed: 4,
  market_source_blocked: 4,
  /** Our numbers do not add up: nothing is published. */
  audit_failed: 5,
  formula_invalid: 2,
  /** A chart took too long to draw, or too many were asked for at once. */
  render_timeout: 6,
  render_overloaded: 6,
} as const

export type ErrorCode = keyof typeof exitCodes

/** An expected failure: shown to the user as message and cure, never as a stack trace. */
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
    return exitCodes[this.code]
  }
}
