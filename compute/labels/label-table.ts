import { AddressEvents } from '../addresses/address-events.ts'

/**
 * Hash table of identities (two words each), shared between threads: two words a slot; at least
 * three quarters of the slots are empty (0, 0).
 */
export function createLabelTable(words: Uint32Array): Uint32Array {
  const slots = 2 ** Math.ceil(Math.log2(2 * words.length + 1))
  const table = new Uint32Array(new SharedArrayBuffer(8 * slots))
  for (let at = 0; at < words.length; at += 2) {
    const high = words[at]!
    const low = words[at + 1]!
    let slot = firstSlot(high, low) & (slots - 1)
    while (table[2 * slot] !== 0 || table[2 * slot + 1] !== 0) slot = (slot + 1) & (slots - 1)
    table[2 * slot] = high
    table[2 * slot + 1] = low
  }
  return table
}

/** Collects outputs of the addresses in a table. */
export function createLabelEvents(table: Uint32Array): AddressEvents {
  const mask = table.length / 2 - 1
  return new AddressEvents((high, low, sats) => {
    if (sats === 0 || (high | low) === 0) return false
    for (let slot = firstSlot(high, low) & mask; ; slot = (slot + 1) & mask) {
      const foundLow = table[2 * slot + 1]
      const foundHigh = table[2 * slot]
      if (foundLow === low && foundHigh === high) return true
      if (foundLow === 0 && foundHigh === 0) return false
    }
  })
}

const firstSlot = (high: number, low: number): number => low ^ Math.imul(high, 0x9e37_79b1)
