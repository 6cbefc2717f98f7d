import type { AdvanceWidths } from '../draw/text.ts'

/** Reads advance widths from `cmap` and `hmtx` of a TrueType file. */
export function readFontWidths(bytes: Uint8Array): AdvanceWidths {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const unitsPerEm = view.getUint16(tableOffset(view, 'head') + 18)
  const longMetrics = view.getUint16(tableOffset(view, 'hhea') + 34)
  const horizontalMetrics = tableOffset(view, 'hmtx')
  const glyphs = readCharacterMap(view, tableOffset(view, 'cmap'))
  return (codePoint) => {
    const glyph = glyphs.get(codePoint)
    if (glyph === undefined) return undefined
    // Glyphs beyond the long metrics repeat the last advance width.
    return view.getUint16(horizontalMetrics + 4 * Math.min(glyph, longMetrics - 1)) / unitsPerEm
  }
}

function tableOffset(view: DataView, tag: string): number {
  const tables = view.getUint16(4)
  for (let i = 0; i < tables; i++) {
    const record = 12 + 16 * i
    if ([0, 1, 2, 3].every((k) => view.getUint8(record + k) === tag.charCodeAt(k))) return view.getUint32(record + 8)
  }
  throw new Error(`font without ${tag} table`)
}

/** Reads only format 4 (Basic Multilingual Plane); other characters count as missing. */
function readCharacterMap(view: DataView, cmap: number): Map<number, number> {
  const subtables = view.getUint16(cmap + 2)
  for (let i = 0; i < subtables; i++) {
    const subtable = cmap + view.getUint32(cmap + 4 + 8 * i + 4)
    if (view.getUint16(subtable) === 4) return readSegments(view, subtable)
  }
  throw new Error('font without a cmap subtable of format 4')
}

function readSegments(view: DataView, subtable: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  const doubled = view.getUint16(subtable + 6)
  const ends = subtable + 14
  const starts = ends + doubled + 2
  const deltas = starts + doubled
  const rangeOffsets = deltas + doubled
  for (let i = 0; i < doubled; i += 2) {
    const start = view.getUint16(starts + i)
    const rangeOffset = view.getUint16(rangeOffsets + i)
    for (let code = start; code <= view.getUint16(ends + i) && code < 0xffff; code++) {
      const listed = rangeOffset === 0 ? code : view.getUint16(rangeOffsets + i + rangeOffset + 2 * (code - start))
      const glyph = rangeOffset !== 0 && listed === 0 ? 0 : (listed + view.getUint16(deltas + i)) & 0xffff
      if (glyph !== 0) glyphs.set(code, glyph)
    }
  }
  return glyphs
}
