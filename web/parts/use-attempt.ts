import { useState } from 'preact/hooks'
import { explain } from '../data/failure.ts'

/** `problem` is the failure's message for the reader. */
export function useAttempt() {
  const [problem, setProblem] = useState<string>()
  const attempt = async (action: () => Promise<unknown>): Promise<void> => {
    setProblem(undefined)
    await action().catch((error: unknown) => setProblem(explain(error).message))
  }
  return { problem, attempt }
}
