import { hash } from 'node:crypto'

const end = (sha256: string): string => `,\n  "sha256": "${sha256}"\n}\n`

/**
 * An object as JSON whose last property is the SHA-256 of the text before it, by which readers
 * notice damage.
 */
export function formatChecked(content: object): string {
  const text = JSON.stringify(content, null, 2).slice(0, -2)
  return text + end(hash('sha256', text))
}

/**
 * Parses the text of `formatChecked`, or of earlier versions without a checksum. Fails if it is
 * damaged.
 */
export function parseChecked(text: string): unknown {
  const [, content, sha256] = /^(.*),\n {2}"sha256": "([^"]*)"\n}\n$/s.exec(text) ?? []
  if (content !== undefined && hash('sha256', content) !== sha256) throw new Error('its checksum differs')
  return JSON.parse(text)
}
