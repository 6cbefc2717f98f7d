import { z } from 'zod'

export const binary = z.string().meta({ format: 'binary' })

/** What an operation needs: a key, in either header. */
export const byKey = [{ key: [] }, { keyHeader: [] }]
