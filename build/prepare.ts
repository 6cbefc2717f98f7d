import { isBundleCurrent } from './run-program.ts'

// Runs after `npm ci`. Without development dependencies, there is no bundler.
const hasBundler = (() => {
  try {
    return import.meta.resolve('rolldown') !== ''
  } catch {
    return false
  }
})()
if (hasBundler) {
  await (await import('#web/build/build.ts')).buildWeb()
  // "npm pack" prepares too, while programs may be loading files of the bundle.
  if (!isBundleCurrent()) await (await import('./program-bundle.ts')).bundleCheckout()
} else console.warn('the pages of the web app are not built: that needs the development dependencies')
