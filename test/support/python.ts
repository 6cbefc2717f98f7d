import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** PYTHON_TOOLS, or the Python of this machine. */
export const python = process.env.PYTHON_TOOLS ? path.join(process.env.PYTHON_TOOLS, 'python') : 'python3'

/** Checks if Python has these modules. */
export function canImport(...modules: readonly string[]): boolean {
  try {
    execFileSync(python, ['-c', `import ${modules.join(', ')}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
