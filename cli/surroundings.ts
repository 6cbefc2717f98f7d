import type { Run } from '#state/run-journal.ts'

/** A stream that takes text, such as standard output. */
export interface TextStream {
  write(text: string): unknown
  /** Whether a person watches it. */
  readonly isTTY?: boolean
}

/** What a command meets of the process that runs it. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv
  readonly stdout: TextStream
  /** Takes logs, progress and failures. */
  readonly stderr: TextStream
  /** Hears how a run ended: the process that began this one. */
  readonly tell?: ((run: Run) => void) | undefined
}
