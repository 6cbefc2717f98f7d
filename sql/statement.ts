import { readFileSync } from 'node:fs'

/** The text of `sql/statements/<name>.sql`. */
export const readStatement = (name: string): string =>
  readFileSync(new URL(`./statements/${name}.sql`, import.meta.url), 'utf8')
