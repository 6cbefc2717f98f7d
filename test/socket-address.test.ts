import { expect, test } from 'vitest'
import { addressOfSocket } from '#root/socket-address.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['::ffff:192.0.2.7', 'http://192.0.2.7:3000'],
  ['::1', 'http://[::1]:3000'],
])('a connection to %s came to %s', (localAddress, expected) => {
  expect(addressOfSocket({ localAddress, localPort: 3000 })).toBe(expected)
})
