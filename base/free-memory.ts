/**
 * Frees the memory of an array that nobody reads again, unless it is a part of a buffer. Large arrays that wait for the garbage collector make
 * it run several times a second.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
