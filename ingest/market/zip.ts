import { crc32, inflateRawSync } from 'node:zlib'

const maxBytes = 64 * 2 ** 20

/**
 * Extracts the only file of a ZIP archive (PKWARE APPNOTE 4.3: end record, central directory, local
 * header). Fails unless it is one intact stored or deflated file.
 */
export function unzipOnlyFile(archive: Buffer): Buffer {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || end + 22 > archive.length) throw new Error('not a whole ZIP archive')
  if (archive.readUInt16LE(end + 10) !== 1) throw new Error('ZIP archive with other than one file')
  const entry = archive.readUInt32LE(end + 16)
  if (entry + 46 > archive.length || archive.readUInt32LE(entry) !== 0x02014b50)
    throw new Error('damaged ZIP directory')
  const method = archive.readUInt16LE(entry + 10)
  const checksum = archive.readUInt32LE(entry + 16)
  const compressedSize = archive.readUInt32LE(entry + 20)
  const size = archive.readUInt32LE(entry + 24)
  if (size > maxBytes) throw new Error(`ZIP archive of more than ${maxBytes} bytes`)
  const header = archive.readUInt32LE(entry + 42)
  if (header + 30 > entry || archive.readUInt32LE(header) !== 0x04034b50) throw new Error('damaged ZIP header')
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
  const packed = archive.subarray(start, start + compressedSize)
  if (method !== 0 && method !== 8) throw new Error(`ZIP compression method ${method}`)
  const content = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, size) })
  if (content.length !== size || crc32(content) !== checksum) throw new Error('damaged ZIP content')
  return content
}
