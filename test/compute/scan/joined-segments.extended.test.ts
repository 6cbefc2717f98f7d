import { appendFileSync, rmSync, truncateSync } from 'node:fs'
import { it } from 'vitest'
import { useJoined } from './support/joined-segments.ts'

const { expectScannedAnew } = await useJoined()

it.each([
  ['is gone', (file: string) => rmSync(file)],
  ['is cut off', (file: string) => truncateSync(file, 100)],
  ['has grown', (file: string) => appendFileSync(file, 'x')],
])('joined segments are scanned anew where a file %s, and so are single ones', (_, damage) => expectScannedAnew(damage))
