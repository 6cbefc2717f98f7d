import { buildWeb } from '#web/build/build.ts'
import { madeOnce } from './made-once.ts'

/**
 * Builds the web app's pages once for all test files, because each build replaces the pages that
 * others serve.
 */
export async function buildPages(): Promise<void> {
  await madeOnce('the pages', buildWeb)
}
