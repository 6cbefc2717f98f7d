import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { loadOptionalPackage } from '#base/optional-package.ts'
import { responseTimeout, storeFailed } from './failures.ts'
import type { Content, ObjectStore, ReadOptions, StoredObject, WriteCondition } from './object-store.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

const idleTimeoutMs = 60_000
const connectTimeoutMs = 5_000

/**
 * Objects under a prefix of an S3 bucket of any provider. The AWS SDK finds region, endpoint and
 * credentials: `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, profiles, machine roles.
 */
export class S3Store implements ObjectStore {
  readonly name: string
  readonly address: string
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string

  private constructor(sdk: Sdk, { host, pathname }: URL) {
    this.name = `s3://${host}${pathname}`
    this.address = this.name.replace(/\/$/, '')
    this.#sdk = sdk
    this.#bucket = host
    this.#prefix = pathname.replace(/^\/|\/$/g, '')
    const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_REGION } = process.env
    this.#client = new sdk.S3Client({
      // Self-hosted services address buckets by path and have no region.
      forcePathStyle: (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined,
      ...(AWS_REGION === undefined &&
        (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined && { region: 'us-east-1' }),
      requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: idleTimeoutMs },
      // Some services lack Amazon's checksums; readers check SHA-256 anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    })
  }

  static async open(address: URL): Promise<S3Store> {
    return new S3Store(
      await loadOptionalPackage('@aws-sdk/client-s3', 'S3', () => import('@aws-sdk/client-s3')),
      address,
    )
  }

  async read(key: string, { known, from = 0 }: ReadOptions = {}): Promise<StoredObject | 'unchanged' | undefined> {
    const { GetObjectCommand } = this.#sdk
    using timeout = responseTimeout()
    try {
      const { Body, ETag, ContentRange } = await this.#client.send(
        new GetObjectCommand({
          ...this.#place(key),
          ...(known !== undefined && { IfNoneMatch: known }),
          ...(from > 0 && { Range: `bytes=${from}-` }),
        }),
        { abortSignal: timeout.signal },
      )
      if (!(Body instanceof Readable) || ETag === undefined)
        throw new Error(`${key} was answered without ETag or content`)
      return { etag: ETag, from: ContentRange === undefined ? 0 : from, body: Body }
    } catch (cause) {
      const status = this.#statusOf(cause)
      if (status === 304) return 'unchanged'
      if (status === 404 && !this.#isNoBucket(cause)) return undefined
      // The object is shorter than the caller's part.
      if (status === 416 && from > 0) return await this.read(key)
      throw storeFailed(this.name, timeout.signal.aborted ? timeout.signal.reason : cause)
    }
  }

  async describe(key: string) {
    const { HeadObjectCommand } = this.#sdk
    try {
      const { ContentLength = 0, Metadata } = await this.#client.send(new HeadObjectCommand(this.#place(key)))
      return { bytes: ContentLength, sha256: Metadata?.sha256 }
    } catch (cause) {
      // Answers to HEAD have no body with details.
      if (this.#statusOf(cause) === 404) return undefined
      throw storeFailed(this.name, cause)
    }
  }

  async list(prefix: string) {
    const { paginateListObjectsV2 } = this.#sdk
    const { Bucket, Key } = this.#place(prefix)
    const found: { key: string; changedAt: number }[] = []
    try {
      for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, { Bucket, Prefix: Key })) {
        for (const { Key: listed = '', LastModified } of Contents)
          found.push({
            key: listed.slice(Key.length - prefix.length),
            changedAt: LastModified?.getTime() ?? Date.now(),
          })
      }
      return found
    } catch (cause) {
      throw storeFailed(this.name, cause)
    }
  }

  async write(key: string, content: Content, condition: WriteCondition, sha256?: string): Promise<string | undefined> {
    const { PutObjectCommand } = this.#sdk
    const sent =
      content instanceof Uint8Array
        ? { Body: content, ContentLength: content.length }
        : { Body: createReadStream(content.file), ContentLength: content.bytes }
    try {
      const { ETag = '' } = await this.#client.send(
        new PutObjectCommand({
          ...this.#place(key),
          ...sent,
          ...(sha256 !== undefined && { Metadata: { sha256 } }),
          ...(condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.etag }),
        }),
      )
      return ETag
    } catch (cause) {
      // 409: concurrent write.
      if ([409, 412].includes(this.#statusOf(cause) ?? 0)) return undefined
      throw storeFailed(this.name, cause)
    } finally {
      if (sent.Body instanceof Readable) sent.Body.destroy()
    }
  }

  async remove(key: string): Promise<void> {
    const { DeleteObjectCommand } = this.#sdk
    try {
      await this.#client.send(new DeleteObjectCommand(this.#place(key)))
    } catch (cause) {
      throw storeFailed(this.name, cause)
    }
  }

  #place = (key: string) => ({ Bucket: this.#bucket, Key: this.#prefix === '' ? key : `${this.#prefix}/${key}` })

  #statusOf = (error: unknown): number | undefined =>
    error instanceof this.#sdk.S3ServiceException ? error.$metadata.httpStatusCode : undefined

  #isNoBucket = (error: unknown): boolean => error instanceof Error && error.name === 'NoSuchBucket'
}
