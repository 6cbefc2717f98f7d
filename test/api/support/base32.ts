const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes that base32 stands for, as an authenticator app reads them; spaces count for nothing. */
export function bytesOfBase32(text: string): Buffer {
  const bits = [...text.replaceAll(' ', '')].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
