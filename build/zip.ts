import { crc32, deflateRawSync } from 'node:zlib'

/** 1980-01-01, ZIP's first day: fixed, so that archives are reproducible. */
const [date, time] = [0x21, 0]
const deflated = 8
/** Bit 11: names are UTF-8. */
const flags = 0x800
const version = 20

/** PKWARE APPNOTE 6.3, without extensions. */
export function zip(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const nameBytes = Buffer.from(name)
    const packed = deflateRawSync(content, { level: 9 })
    const header = Buffer.alloc(26)
    const fields = [version, flags, deflated, time, date]
    fields.forEach((value, i) => void header.writeUInt16LE(value, 2 * i))
    header.writeUInt32LE(crc32(content), 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(content.length, 18)
    header.writeUInt16LE(nameBytes.length, 22)
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(offset, 10)
    parts.push(Buffer.from('PK\x03\x04'), header, nameBytes, packed)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, entry, nameBytes)
    offset += 4 + header.length + nameBytes.length + packed.length
  }
  const centralDirectory = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.size, 4)
  end.writeUInt16LE(files.size, 6)
  end.writeUInt32LE(centralDirectory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, centralDirectory, Buffer.from('PK\x05\x06'), end])
}
