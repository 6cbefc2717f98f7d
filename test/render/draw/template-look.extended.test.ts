import { test } from 'vitest'
import { expectLook } from '../template-look.ts'

test('upright, every template has three quarters of the width for its plot, its numbers next to that, end labels outside them, and marks what is beyond', () => {
  expectLook(1080, 1920)
})
