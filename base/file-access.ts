import { accessSync } from 'node:fs'

/** Whether this process may do that in a folder or with a file: `constants.W_OK`, `constants.X_OK` … */
export function canAccess(place: string, mode: number): boolean {
  try {
    accessSync(place, mode)
    return true
  } catch {
    return false
  }
}
