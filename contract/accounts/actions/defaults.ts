import { z } from 'zod'

const noBody = z.undefined()
const noPath = z.object({})

/** What most actions are: free of parameters, and counted as the caller's usual requests. */
export const actionDefaults = {
  pathParameters: noPath,
  body: noBody,
  /** Most that is read of one. */
  bodySize: '32kb',
  status: 200,
  limitShare: 1,
  countedBy: 'caller',
} as const
/** Where a password, a code or a link could be guessed: counted by address, whoever is signed in. */
export const rateLimitedByAddress = { ...actionDefaults, limitShare: 0.1, countedBy: 'address' } as const
export const confirmed = 'needs the password again if it was given more than ten minutes ago'

/** Where the path names one thing by its id. */
export const idPath = (example: string) => z.object({ id: z.string().meta({ example }) })
