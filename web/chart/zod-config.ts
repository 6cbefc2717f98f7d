import { config } from 'zod'

// Schemas try whether they may compile code, which the content security policy forbids, and browsers complain aloud. To be
// imported before the first schema is made.
config({ jitless: true })
