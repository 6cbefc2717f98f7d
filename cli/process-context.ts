import type { Run } from '#state/run-journal.ts'

export interface TextStream {
  write(text: string): unknown
  readonly isTTY?: boolean
}

export interface ProcessContext {
  readonly environment: NodeJS.ProcessEnv
  readonly stdout: TextStream
  readonly stderr: TextStream
  /** To the parent process. */
  readonly reportRun?: ((run: Run) => void) | undefined
}

export const stopSignal = (): Promise<unknown> =>
  new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
