import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** False for zombies too, which containers without an init process keep. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self') || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Process ids whose arguments or environment name a folder. Linux only. */
export function processesNaming(folder: string): number[] {
  const names = (file: string): boolean => {
    try {
      return readFileSync(file, 'utf8').includes(folder)
    } catch {
      // It has just ended.
      return false
    }
  }
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
  return pids.filter((pid) => isAlive(pid) && (names(`/proc/${pid}/cmdline`) || names(`/proc/${pid}/environ`)))
}
