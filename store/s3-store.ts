import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { loadOptionalPackage } from '#base/optional-package.ts'
import { storeFailed } from './failures.ts'
import type { Content, ObjectStore, StoredObject, WriteCondition } from './object-store.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

const idleTimeoutMs = 60_000
const connectTimeoutMs = 5_000

/**
 * Objects under a prefix of an S3 bucket, at Amazon or another provider. The AWS SDK finds region, endpoint and credentials:
 * `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, profiles, roles of the machine.
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
      // Some services lack Amazon's checksums; readers check the SHA-256 of objects anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    })
  }

  /** Throws `invalid_configuration` if the optional SDK is not installed. */
  static async open(address: URL): Promise<S3Store> {
    return new S3Store(
      await loadOptionalPackage('@aws-sdk/client-s3', 'S3', () => import('@aws-sdk/client-s3')),
      address,
    )
  }

  async read(key: string, known?: string): Promise<StoredObject | 'unchanged' | undefined> {
    const { GetObjectCommand } = this.#sdk
    try {
      const { Body, ETag } = await this.#client.send(
        new GetObjectCommand({ ...this.#place(key), ...(known !== undefined && { IfNoneMatch: known }) }),
      )
      if (!(Body instanceof Readable) || ETag === undefined)
        throw new Error(`${key} was answered without ETag or content`)
      return { etag: ETag, body: Body }
    } catch (cause) {
      const status = this.#statusOf(cause)
      if (status === 304) return 'unchanged'
      if (status === 404 && !this.#isNoBucket(cause)) return undefined
      throw storeFailed(this.name, cause)
    }
  }

  async write(key: string, content: Content, condition: WriteCondition): Promise<string | undefined> {
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
