import { spawnSync } from 'node:child_process'

let ranges: readonly (readonly [first: number, last: number])[] | undefined

/**
 * True if a font of the system has a character that the font of charts lacks, so that PNG can show it
 * (fontconfig lists them once), or it is invisible. Emoji have fonts of pixels, which do not scale.
 */
export function isInSystemFont(character: string): boolean {
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return true
  if (/\p{Emoji_Presentation}/u.test(character)) return false
  const codePoint = character.codePointAt(0)!
  ranges ??= readRanges()
  return ranges.some(([first, last]) => codePoint >= first && codePoint <= last)
}

function readRanges() {
  const fonts = ['--format', '%{charset} ', ':outline=true:color=false']
  const { stdout } = spawnSync('fc-list', fonts, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const parts = new Set((stdout ?? '').split(' ').filter((part) => part !== ''))
  return Array.from(parts, (part) => {
    const [first = '', last = first] = part.split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const
  })
}
