import { readFileSync } from 'node:fs'

/** Text of `sql/statements/<name>.sql`. */
export const readStatement = (name: string): string =>
  readFileSync(new URL(`./statements/${name}.sql`, import.meta.url), 'utf8')
