import { z } from 'zod'
import { pageQuery } from '../../parameters.ts'
import { listMeta } from '../rows.ts'

const noBody = z.undefined()
const noPath = z.object({})

const defaults = {
  pathParameters: noPath,
  query: noPath,
  body: noBody,
  bodySize: '32kb',
  status: 200,
  limitShare: 1,
  countedBy: 'caller',
  /** API keys and access tokens are accepted too. */
  allowsKeys: false,
  /** Served under open access, which has no accounts. */
  allowsOpen: false,
} as const
export const get = { ...defaults, method: 'get' } as const
export const post = { ...defaults, method: 'post' } as const
export const remove = { ...defaults, method: 'delete' } as const
export const rarePost = { ...post, limitShare: 0.1 } as const
export const create = { ...rarePost, status: 201 } as const
/** For lists, which also have their page in the metadata. */
export const list = { ...get, query: pageQuery, meta: listMeta } as const
/**
 * They could guess a password, code or link, so they count by address even for signed-in callers.
 */
export const guessable = { ...rarePost, countedBy: 'address' } as const
export const confirmed = 'needs the password again if it was given more than ten minutes ago'

export const idPath = (example: string) => z.object({ id: z.string().meta({ example }) })

export const removedRow = z.strictObject({ id: z.string() })
