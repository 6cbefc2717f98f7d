import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Shared by the test files of a run, and removed in the end. */
    runFolder: string
  }
}

export default function provideRunFolder(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-run-'))
  project.provide('runFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
