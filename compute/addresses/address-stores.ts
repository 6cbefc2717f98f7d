import type { AddressMode } from '../address-sample.ts'
import { ActivityStore } from './activity-store.ts'
import type { AddressStore } from './address-store.ts'
import { BalanceStore, type FindBasis } from './balance-store.ts'

/** @param findBasis needed to merge balances during a scan */
export const addressStores = (dataDir: string, addresses: AddressMode, findBasis?: FindBasis): AddressStore[] => [
  ...(addresses === 'off' ? [] : [new ActivityStore(dataDir)]),
  ...(addresses === 'all' ? [new BalanceStore(dataDir, findBasis)] : []),
]
