/**
 * JavaScript for the file that Node starts first: it loads `program` where Node is at least as new as `engine` (`>=24.15`) says. An older
 * one would end at the first module that it does not know, with a stack trace, or run until something that it lacks is called.
 */
export function createLauncher({ name, engine, program }: LauncherOptions): string {
  const [, major, minor = '0'] = /^>=(\d+)(?:\.(\d+))?$/.exec(engine) ?? []
  if (major === undefined) throw new Error(`'${engine}' is not the least version of Node.js`)
  const least = engine.slice('>='.length)
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > ${major} || (major === ${major} && minor >= ${minor})) await import('${program}')
else {
  console.error(\`${name} needs Node.js ${least} or newer, but this is \${process.versions.node}: install a newer Node.js\`)
  process.exitCode = 1
}
`
}

interface LauncherOptions {
  /** As messages call the program. */
  readonly name: string
  readonly engine: string
  /** The module that is the program, beside the file. */
  readonly program: string
}
