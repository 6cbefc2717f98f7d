/** A failure that an assistant is told as it stands: what was wrong, and what to change. */
export class ToolError extends Error {
  constructor(message: string, cure: string | undefined, options: { cause?: unknown } = {}) {
    super(cure === undefined ? message : `${message}\nWhat to do: ${cure}`, options)
    this.name = 'ToolError'
  }
}
