/** Loads `program`, or prints one line if Node is older than `engine` (such as `>=24.15`). */
export function createLauncher({ name, engine, program }: LauncherOptions): string {
  const [, major, minor = '0'] = /^>=(\d+)(?:\.(\d+))?$/.exec(engine) ?? []
  if (major === undefined) throw new Error(`'${engine}' is not a minimum version of Node.js`)
  const minVersion = engine.slice('>='.length)
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > ${major} || (major === ${major} && minor >= ${minor})) await import('${program}')
else {
  console.error(\`${name} needs Node.js ${minVersion} or newer, but this is \${process.versions.node}: install a newer Node.js\`)
  process.exitCode = 1
}
`
}

interface LauncherOptions {
  readonly name: string
  readonly engine: string
  /** Relative to the launcher. */
  readonly program: string
}
