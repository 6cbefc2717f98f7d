import { commonFaults } from './faults/faults.ts'
import { describeFaults } from './faults/meet-faults.ts'

describeFaults(commonFaults)
