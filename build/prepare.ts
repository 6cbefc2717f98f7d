// Runs after `npm ci` and before packing. Without development dependencies, there is no bundler.
const hasBundler = (() => {
  try {
    return import.meta.resolve('rolldown') !== ''
  } catch {
    return false
  }
})()
if (hasBundler) await (await import('./build.ts')).buildWeb()
else console.warn('the pages of the web app are not built: that needs the development dependencies')
