import { hash } from 'node:crypto'

/** Hash for stored secrets. They are random, so they need neither a salt nor a slow hash. */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
