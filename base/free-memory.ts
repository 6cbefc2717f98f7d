/**
 * Frees an array's memory, unless it is part of a larger buffer. Large arrays that wait for the
 * garbage collector make it run several times a second.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && byteLength === buffer.byteLength) buffer.transfer(0)
}
