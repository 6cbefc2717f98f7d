import { config } from 'zod'

// Import this before any schema is created: schemas probe whether they may compile code, which the content security
// policy forbids and browsers report.
config({ jitless: true })
