import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { compileCache } from '../support/program.ts'

/** What opens each of them, by the package that it loads. */
const openers = {
  '@aws-sdk/client-s3': `import('#store/open-store.ts').then(({ openStore }) => openStore('s3://bucket/prefix'))`,
  pg: `import('#accounts/database/postgres.ts').then(({ PostgresAccounts }) => PostgresAccounts.open('postgresql://host/database'))`,
  '@redis/client': `import('#limits/redis-counts.ts').then(({ openRedisCounts }) => openRedisCounts('redis://host'))`,
}

test('what needs a package that is not installed names it and how to install it', () => {
  const names = Object.keys(openers)
  const script = `
    import { registerHooks } from 'node:module'
    const missing = new Set(${JSON.stringify(names)})
    registerHooks({ resolve: (name, context, next) => next(missing.has(name) ? 'not-installed-anywhere' : name, context) })
    const tried = await Promise.allSettled([${Object.values(openers).join()}])
    console.log(JSON.stringify(tried.map(({ reason: { code, message, cure, cause } = {} }) => ({ code, message, cure, cause: cause?.code }))))`
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: path.join(import.meta.dirname, '../..'),
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    encoding: 'utf8',
  })
  const users = ['S3', 'PostgreSQL', 'Redis']
  expect(JSON.parse(said)).toEqual(
    names.map((name, i) => ({
      code: 'invalid_configuration',
      message: `${users[i]} needs the package ${name}, which is not installed`,
      cure: `run "npm install ${name}" where Coinstrata is installed`,
      cause: 'ERR_MODULE_NOT_FOUND',
    })),
  )
})
