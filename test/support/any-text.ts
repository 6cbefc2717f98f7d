import fc from 'fast-check'

/** Any character except surrogates; a third of them ASCII, which most parsers look for. */
const character = fc
  .oneof(
    fc.integer({ min: 0x20, max: 0x7e }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10_ffff }),
  )
  .map((code) => String.fromCodePoint(code))

/**
 * Texts of any characters. Unlike `unit: 'binary'` of fast-check, it needs no table of a million
 * characters, which takes a second.
 */
export const anyText = (maxLength = 10): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((characters) => characters.join(''))
