// Creates the bucket of PUBLISH_URL unless it exists; AWS variables locate the store.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'

const { hostname } = new URL(process.env.PUBLISH_URL ?? '')
try {
  await new S3Client({ forcePathStyle: true }).send(new CreateBucketCommand({ Bucket: hostname }))
} catch (error) {
  const isThere = error instanceof Error && ['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes(error.name)
  if (!isThere) throw error
}
