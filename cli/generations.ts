import type { Command } from 'commander'
import { textTable } from '#base/text-table.ts'
import { rollBack } from '#compute/publish/rollback.ts'
import type { Settings } from '#root/config.ts'
import { currentId, type KeptGeneration, keptGenerations } from '#sql/generation.ts'
import { provedBlocksOf } from '#state/health.ts'
import { renewLake } from './lake.ts'
import { describeProved, grouped } from './numbers.ts'
import { outputOf } from './output.ts'
import { recordRun } from './recorded-run.ts'
import type { Surroundings } from './surroundings.ts'

/** A command and what it prints, given the data folder. */
type AddCommand = (command: Command, run: (dataDir: string, settings: Settings) => Promise<string>) => void

const afterRollback = `
Without an id, it makes the previous generation current; an id can also name a newer one. Its files are checked
first, and requests in progress finish on the generation that they started with.

"coinstrata update" stays on that generation as long as nothing has changed since the newest one: no block, price,
market data, proof or program. After a change, or with --force, it publishes a new generation, which becomes current.
To stay for longer, start with UPDATE_SCHEDULE=off.`

/** Adds `generations` and `rollback` to the program; `add` gives each command its flags and runs it. */
export function addGenerationCommands(program: Command, add: AddCommand, surroundings: Surroundings): void {
  const generations = program.command('generations')
  add(generations.description('list the published generations that are kept, newest first'), async (dataDir) =>
    describeGenerations(dataDir),
  )
  const rollback = program
    .command('rollback')
    .argument('[id]', 'a generation, as "coinstrata generations" lists it')
    .description('make another kept generation the current one')
    .addHelpText('after', afterRollback)
  add(rollback, async (dataDir, settings) => {
    let said = ''
    await recordRun(dataDir, 'rollback', outputOf(settings, surroundings), async () => {
      const { from, to } = await rollBack(dataDir, rollback.args[0])
      await renewLake(settings)
      const [days, tip] = [`${to.first_date} to ${to.last_date}`, `block ${grouped(to.tip.height)}`]
      said =
        from === to.id
          ? `${to.id} is already current\n`
          : `${to.id} is current now (${days}, ${tip}); it was ${from}; "coinstrata rollback ${from}" goes back to it\n`
      return { message: from === to.id ? null : `from ${from} to ${to.id}` }
    })
    return said
  })
}

function describeGenerations(dataDir: string): string {
  const kept = keptGenerations(dataDir)
  if (kept.length === 0) return `${dataDir}: nothing is published yet; run "coinstrata update"\n`
  const current = currentId(dataDir)
  const rows = kept
    .toReversed()
    .map((generation) => [generation.id === current ? 'current' : '', generation.id, ...describe(dataDir, generation)])
  return textTable(['', 'id', 'published', 'days', 'tip', 'proved'], rows)
}

function describe(dataDir: string, { opened }: KeptGeneration): string[] {
  if (!opened) return ['its generation.json is missing or damaged']
  const { created_at, first_date, last_date, tip } = opened.generation
  return [
    `${created_at.slice(0, 16).replace('T', ' ')} UTC`,
    `${first_date} to ${last_date}`,
    grouped(tip.height),
    describeProved(provedBlocksOf(dataDir, opened.generation)),
  ]
}
