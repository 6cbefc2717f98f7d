import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { benchAbuse } from './abuse.ts'
import { benchAddresses } from './addresses.ts'
import { benchAllBalances } from './all-balances.ts'
import { benchApi } from './api.ts'
import { benchBalances } from './balances.ts'
import { benchCharts } from './charts.ts'
import { benchCoins } from './coins.ts'
import { benchFirstStart } from './first-start.ts'
import { benchFlips } from './flips.ts'
import { benchLive } from './live.ts'
import { benchNightly } from './nightly.ts'
import { describeMachine } from './report.ts'
import { benchScan } from './scan.ts'
import { benchWeb } from './web.ts'

/** Run by default; arguments select some by name. Data are created once in `.cache/bench`. */
const benchmarks: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'first-start': benchFirstStart,
  nightly: benchNightly,
  live: benchLive,
  scan: benchScan,
  coins: benchCoins,
  addresses: benchAddresses,
  balances: benchBalances,
  'all-balances': benchAllBalances,
  api: benchApi,
  abuse: benchAbuse,
  charts: benchCharts,
  web: benchWeb,
  flips: benchFlips,
}

const folder = path.resolve('.cache/bench')
mkdirSync(folder, { recursive: true })
console.log(describeMachine())
const chosen = process.argv.slice(2)
for (const [name, run] of Object.entries(benchmarks)) {
  if (chosen.length === 0 || chosen.includes(name)) await run(folder)
}
