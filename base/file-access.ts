import { accessSync } from 'node:fs'

/** Checks this process's permission; `mode` is `constants.W_OK`, `constants.X_OK` … */
export function canAccess(place: string, mode: number): boolean {
  try {
    accessSync(place, mode)
    return true
  } catch {
    return false
  }
}
