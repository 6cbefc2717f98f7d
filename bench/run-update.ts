import { publishSegments, update } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { pricings } from '#contract/pricing.ts'
import { spreadHalvings } from './mainnet-shape.ts'

/** Arguments: `update`, or `compute` for segments already scanned; data folder; blocks folder; pricing. */
const [command, dataDir = '', blocksdir = '', kind] = process.argv.slice(2)
const pricing = pricings.find((known) => known === kind) ?? 'hourly'
spreadHalvings()
const settings: UpdateSettings = {
  ...{ dataDir, blocksdir, datadir: undefined, network: 'regtest', source: 'files', defaultDatadir: '/nonexistent' },
  ...{ rpcUrl: undefined, rpcUser: undefined, rpcPassword: undefined, simulatedSeed: 1, pricing, memory: '1GB' },
}

interface Part {
  readonly name: string
  seconds: number
  cpuSeconds: number
  peakMegabytes: number
}
const parts: Part[] = []
/** Includes the start of the process. */
let begin = performance.timeOrigin - Date.now() + performance.now()
let cpu = { user: 0, system: 0 }
function part(name: string): void {
  const last = parts.at(-1)
  if (last) {
    const { user, system } = process.cpuUsage(cpu)
    last.seconds = (performance.now() - begin) / 1000
    last.cpuSeconds = (user + system) / 1e6
    last.peakMegabytes = (1024 * process.resourceUsage().maxRSS) / 1e6
    begin = performance.now()
    cpu = process.cpuUsage()
  }
  parts.push({ name, seconds: 0, cpuSeconds: 0, peakMegabytes: 0 })
}
part('start')
part('lock')
const progress = { say: () => {}, scanned: () => {}, part }
const { generation } =
  command === 'update' ? await update(settings, progress) : await publishSegments(settings, progress)
part('end')
console.log(JSON.stringify({ parts: parts.slice(0, -1), rows: generation?.tables.flows?.rows ?? 0 }))
