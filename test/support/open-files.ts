import { readdirSync } from 'node:fs'

/** Number of file descriptors that this process has open. */
export const openFiles = (): number => readdirSync('/dev/fd').length
