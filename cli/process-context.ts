import type { Run } from '#state/run-journal.ts'

/** A text stream, such as standard output. */
export interface TextStream {
  write(text: string): unknown
  /** True on a terminal. */
  readonly isTTY?: boolean
}

/** Environment and streams of the process that runs a command. */
export interface ProcessContext {
  readonly environment: NodeJS.ProcessEnv
  readonly stdout: TextStream
  readonly stderr: TextStream
  /** Reports the end of a run to the parent process. */
  readonly reportRun?: ((run: Run) => void) | undefined
}

/** Resolves on SIGINT or SIGTERM. */
export const stopSignal = (): Promise<unknown> =>
  new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
