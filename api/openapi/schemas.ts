import { z } from 'zod'

export const binary = z.string().meta({ format: 'binary' })

/** Security requirement: an API key in either header. */
export const byKey = [{ key: [] }, { keyHeader: [] }]
