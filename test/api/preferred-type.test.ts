import { expect, test } from 'vitest'
import { preferredType } from '#api/http/preferred-type.ts'

const types = ['image/svg+xml', 'image/png', 'application/json'] as const

test.each([
  ['image/png', 'image/png'],
  ['application/json, image/png', 'image/png'],
  ['application/json;q=0.9, image/png;q=0.8', 'application/json'],
  ['image/svg+xml;q=0.1, image/png', 'image/png'],
  ['image/svg+xml;q=0, image/*', 'image/png'],
  ['IMAGE/PNG ; Q=0.5, application/json;q=0.4', 'image/png'],
  ['*/*', 'image/svg+xml'],
  ['*/*, application/json', 'application/json'],
  ['image/png;q=0.2, */*;q=0.5', 'image/svg+xml'],
  ['text/html', undefined],
  ['', undefined],
  ['image/png;q=0', undefined],
  ['image/png;q=nonsense', undefined],
])('%s takes %s', (header, expected) => {
  expect(preferredType(header, types)).toBe(expected)
})

test.each([
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0.1, identity', 'identity'],
  ['deflate', undefined],
])('%s is encoded as %s', (header, expected) => {
  expect(preferredType(header, ['zstd', 'br', 'gzip', 'identity'])).toBe(expected)
})
