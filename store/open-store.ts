import { fileURLToPath } from 'node:url'
import { CoinstrataError } from '#base/errors.ts'
import { FileStore } from './file-store.ts'
import type { ObjectStore } from './object-store.ts'
import { S3Store } from './s3-store.ts'
import { WebStore } from './web-store.ts'

/** Takes `s3://bucket/prefix`, `file:///folder`, or read-only `https://…`. */
export async function openStore(address: string): Promise<ObjectStore> {
  const url = URL.parse(address)
  if (url?.username || url?.password) throw unusable('it contains a password, which would appear in logs')
  switch (url?.protocol) {
    case 's3:':
      return S3Store.open(url)
    case 'file:':
      return new FileStore(fileURLToPath(url))
    case 'https:':
    case 'http:':
      return new WebStore(url.href)
    default:
      throw unusable(`it is '${address}'`)
  }
}

const unusable = (why: string): CoinstrataError =>
  new CoinstrataError('invalid_configuration', `the address of the store cannot be used: ${why}`, {
    cure: 'give s3://bucket/prefix, file:///folder, or (only to read) https://host/path; credentials of S3 come from the environment',
  })
