import type { Readable } from 'node:stream'

/** An object as it is read: its bytes, and the tag by which it is told apart from other contents under the same key. */
export interface StoredObject {
  readonly etag: string
  readonly body: Readable
}

/** What is written: bytes, or a file of known length. */
export type Content = Uint8Array | { readonly file: string; readonly bytes: number }

/** What must hold for an object to be written: that there is none under its key, or still the one with this tag. */
export type WriteCondition = 'absent' | { readonly etag: string }

/**
 * Objects by key, as S3 has them. Keys are paths of file names with slashes between. All methods throw `store_failed` where the store cannot be
 * reached, refuses, or answers otherwise than documented; its name stands in the message, and never a password.
 */
export interface ObjectStore {
  /** What people call it: its address without passwords. */
  readonly name: string
  /** By which other programs find it; keys stand behind it, after a slash. */
  readonly address: string
  /** `undefined` where there is no such object; `unchanged` where it still has the tag that the reader knows. */
  read(key: string, known?: string): Promise<StoredObject | 'unchanged' | undefined>
  /** Writes an object whole. Returns its tag, or `undefined`, with nothing written, where the condition does not hold. */
  write(key: string, content: Content, condition: WriteCondition): Promise<string | undefined>
  /** Removes an object, unless there is none. */
  remove(key: string): Promise<void>
}
