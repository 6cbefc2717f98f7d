/** Shorter runs of equal keys are sorted by insertion. */
const shortRun = 16

/** Shifts of the digits of a key. */
const digits = [0, 11, 22] as const
const digitSize = 2 ** 11

/**
 * Returns the numbers below `count` in the order of `compare`. If a number comes before another,
 * its `fraction` (in [0, 1)) must not be greater: sorting by fractions is 20 times faster, and
 * `compare` decides only between equal ones.
 */
export function sortedPlaces(
  count: number,
  fraction: (place: number) => number,
  compare: (one: number, other: number) => number,
): Uint32Array {
  let [keys, places] = [new Uint32Array(count), new Uint32Array(count)]
  for (let place = 0; place < count; place++) {
    keys[place] = fraction(place) * 2 ** 32
    places[place] = place
  }
  for (const shift of digits) [keys, places] = sortByDigit(keys, places, shift)
  for (let from = 0, i = 1; i <= count; i++) {
    if (i < count && keys[i] === keys[from]) continue
    if (i - from > 1) sortRun(places, from, i, compare)
    from = i
  }
  return places
}

/** Stable within a digit. */
function sortByDigit(keys: Uint32Array, places: Uint32Array, shift: number) {
  const ends = new Uint32Array(digitSize + 1)
  for (let i = 0; i < keys.length; i++) ends[((keys[i]! >>> shift) & (digitSize - 1)) + 1]!++
  for (let digit = 0; digit < digitSize; digit++) ends[digit + 1]! += ends[digit]!
  const [sortedKeys, sortedPlaces] = [new Uint32Array(keys.length), new Uint32Array(keys.length)]
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    const at = ends[(key >>> shift) & (digitSize - 1)]!++
    sortedKeys[at] = key
    sortedPlaces[at] = places[i]!
  }
  return [sortedKeys, sortedPlaces] as const
}

function sortRun(
  places: Uint32Array,
  from: number,
  end: number,
  compare: (one: number, other: number) => number,
): void {
  if (end - from >= shortRun) return void places.subarray(from, end).sort(compare)
  for (let i = from + 1; i < end; i++) {
    const place = places[i]!
    let at = i
    for (; at > from && compare(places[at - 1]!, place) > 0; at--) places[at] = places[at - 1]!
    places[at] = place
  }
}
