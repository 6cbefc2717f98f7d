import { buildWeb } from '#web/build/build.ts'
import { exclusively } from './fixture.ts'

/**
 * Builds the web app's pages if their sources changed. One worker does so while the others wait,
 * because a build replaces the pages that they serve.
 */
export const buildPages = (): Promise<void> => exclusively('pages', buildWeb)
