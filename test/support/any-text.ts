import fc from 'fast-check'

/** Any character but half of a pair, a third of them of ASCII, which most of what reads texts looks for. */
const character = fc
  .oneof(
    fc.integer({ min: 0x20, max: 0x7e }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10_ffff }),
  )
  .map((code) => String.fromCodePoint(code))

/** Texts of any characters, as of `unit: 'binary'`, for which fast-check makes a table of a million, which takes a second. */
export const anyText = (maxLength = 10): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((characters) => characters.join(''))
