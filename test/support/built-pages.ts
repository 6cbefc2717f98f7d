import { buildWeb } from '#web/build/build.ts'
import { madeOnce } from './made-once.ts'

/** Builds the pages of the web app as they are now, once for all test files, as each build replaces what others serve. */
export async function buildPages(): Promise<void> {
  await madeOnce('the pages', buildWeb)
}
