/** Shown to the assistant: what was wrong and what to change. */
export class ToolError extends Error {
  /** The API's error code, if the API refused. */
  readonly code: string | undefined

  constructor(message: string, cure: string | undefined, options: { cause?: unknown; code?: string } = {}) {
    super(cure === undefined ? message : `${message}\nWhat to do: ${cure}`, options)
    this.code = options.code
    this.name = 'ToolError'
  }
}
