/**
 * Writes JavaScript that loads `program` if Node is new enough for `engine` (such as `>=24.15`). Without this check an
 * older Node ends with a stack trace at the first module that it lacks, or fails later.
 */
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
  /** Name of the program in messages. */
  readonly name: string
  readonly engine: string
  /** Path of the program's module, relative to the launcher. */
  readonly program: string
}
