import { describeStore, useWriters } from './support/store-cases.ts'

describeStore(true, await useWriters())
