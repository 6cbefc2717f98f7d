import { hash } from 'node:crypto'

/** What is stored of a secret that is random enough to need no salt and no slow hash. */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
