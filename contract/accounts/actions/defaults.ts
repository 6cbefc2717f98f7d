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

type Override<Base, Own> = Omit<Base, keyof Own> & Own

/** Declares actions of one kind; `own` overrides the kind and the defaults. */
function kind<const Kind extends object>(shared: Kind) {
  function declare<
    const Path extends string,
    Row extends z.ZodType,
    const Own extends Partial<Record<keyof typeof defaults | 'meta', unknown>> = object,
  >(
    path: Path,
    summary: string,
    row: Row,
    own?: Own,
  ): Override<Override<typeof defaults, Kind>, { path: Path; summary: string; row: Row } & Own>
  function declare(path: string, summary: string, row: z.ZodType, own?: object): object {
    return { ...defaults, ...shared, path, summary, row, ...own }
  }
  return declare
}

const rarely = { method: 'post', limitShare: 0.1 } as const
export const get = kind({ method: 'get' })
export const post = kind({ method: 'post' })
export const remove = kind({ method: 'delete' })
export const rarePost = kind(rarely)
export const create = kind({ ...rarely, status: 201 })
/** For lists, which also have their page in the metadata. */
export const list = kind({ method: 'get', query: pageQuery, meta: listMeta })
/** They could guess a password, code or link, so they count by address even if signed in. */
export const guessable = kind({ ...rarely, countedBy: 'address' })
export const confirmed = 'needs the password again if it was given more than ten minutes ago'

export const idPath = (example: string) => z.object({ id: z.string().meta({ example }) })

export const removedRow = z.strictObject({ id: z.string() })
