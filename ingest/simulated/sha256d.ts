import { hash } from 'node:crypto'

/** SHA-256 twice, Bitcoin's hash of blocks and transactions, in the byte order of the protocol. */
export function sha256d(bytes: Uint8Array): Uint8Array {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer')
}
