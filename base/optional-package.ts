import { CoinstrataError, hasErrorCode } from './errors.ts'

/** Imports an optional peer package; `user` names its purpose in the message. */
export async function loadOptionalPackage<T>(name: string, user: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (!hasErrorCode(cause, 'ERR_MODULE_NOT_FOUND')) throw cause
    throw new CoinstrataError('invalid_configuration', `${user} needs the package ${name}, which is not installed`, {
      cause,
      cure: `run "npm install ${name}" where Coinstrata is installed`,
    })
  }
}
