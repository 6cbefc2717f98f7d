/** Shown to the assistant: problem and cure. */
export class ToolError extends Error {
  /** The API's, if it refused. */
  readonly code: string | undefined

  constructor(message: string, cure: string | undefined, options: { cause?: unknown; code?: string } = {}) {
    super(cure === undefined ? message : `${message}\nWhat to do: ${cure}`, options)
    this.code = options.code
    this.name = 'ToolError'
  }
}
