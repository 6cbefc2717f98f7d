/**
 * Frees the memory of an array that nobody reads again, unless it is a part of a buffer; a second
 * call does nothing. Large arrays that wait for the garbage collector make it run several times a
 * second.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && byteLength === buffer.byteLength) buffer.transfer(0)
}
