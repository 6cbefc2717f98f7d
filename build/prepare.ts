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
  await (await import('./program-bundle.ts')).bundleCheckout()
} else console.warn('the pages of the web app are not built: that needs the development dependencies')
