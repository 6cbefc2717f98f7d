import { CoinstrataError } from './errors.ts'

/**
 * A package that only they install who use what needs it; `load` imports it, and `user` is the reason for it as messages name it. Throws
 * `invalid_configuration` where it is not installed.
 */
export async function loadOptionalPackage<T>(name: string, user: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause
    throw new CoinstrataError('invalid_configuration', `${user} needs the package ${name}, which is not installed`, {
      cause,
      cure: `run "npm install ${name}" where Coinstrata is installed`,
    })
  }
}
