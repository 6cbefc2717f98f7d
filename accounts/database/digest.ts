import { hash } from 'node:crypto'

/** For stored random secrets, which need neither a salt nor a slow hash. */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
