import { rareFaults } from './faults/faults.ts'
import { describeFaults } from './faults/meet-faults.ts'

describeFaults(rareFaults, { recovers: true })
