import type { Command } from 'commander'
import { formatMinute } from '#base/days.ts'
import { formatCount } from '#base/quantities.ts'
import { textTable } from '#base/text-table.ts'
import { rollBack } from '#compute/publish/rollback.ts'
import { describeProved } from '#contract/proofs.ts'
import { currentGenerationId, listGenerations, type StoredGeneration } from '#sql/generation.ts'
import { countProvedBlocks } from '#state/health.ts'
import { definePrintingCommand } from './flags.ts'
import { createOutput } from './output.ts'
import type { ProcessContext } from './process-context.ts'
import { recordRun } from './recorded-run.ts'
import { writeLake } from './store-commands.ts'

const rollbackHelp = `
Without an id, it makes the previous generation current; an id can also name a newer one. Its files are checked
first, and requests in progress finish on the generation that they started with.

"coinstrata update" stays on that generation as long as nothing has changed since the newest one: no block, price,
market data, proof or program. After a change, or with --force, it publishes a new generation, which becomes current.
To stay for longer, start with UPDATE_SCHEDULE=off.`

export function addGenerationCommands(program: Command, context: ProcessContext): void {
  definePrintingCommand(
    program.command('generations').description('list the published generations that are kept, newest first'),
    context,
    async ({ DATA_DIR: dataDir }) => describeGenerations(dataDir),
  )
  definePrintingCommand(
    program
      .command('rollback')
      .argument('[id]', 'a generation, as "coinstrata generations" lists it')
      .description('make another kept generation the current one')
      .addHelpText('after', rollbackHelp),
    context,
    async (settings, _, [id]) => {
      let text = ''
      await recordRun(settings.DATA_DIR, 'rollback', createOutput(settings, context), async () => {
        const { from, to } = await rollBack(settings.DATA_DIR, id)
        await writeLake(settings)
        const [days, tip] = [`${to.first_date} to ${to.last_date}`, `block ${formatCount(to.tip.height)}`]
        text =
          from === to.id
            ? `${to.id} is already current\n`
            : `${to.id} is current now (${days}, ${tip}); it was ${from}; "coinstrata rollback ${from}" goes back to it\n`
        return { message: from === to.id ? null : `from ${from} to ${to.id}` }
      })
      return text
    },
  )
}

function describeGenerations(dataDir: string): string {
  const generations = listGenerations(dataDir)
  if (generations.length === 0) return `${dataDir}: nothing is published yet; run "coinstrata update"\n`
  const current = currentGenerationId(dataDir)
  const rows = generations
    .toReversed()
    .map((generation) => [generation.id === current ? 'current' : '', generation.id, ...describe(dataDir, generation)])
  return textTable(['', 'id', 'published', 'days', 'tip', 'proved'], rows)
}

function describe(dataDir: string, { opened }: StoredGeneration): string[] {
  if (!opened) return ['its generation.json is missing or damaged']
  const { created_at, first_date, last_date, tip } = opened.generation
  return [
    formatMinute(Date.parse(created_at)),
    `${first_date} to ${last_date}`,
    formatCount(tip.height),
    describeProved(countProvedBlocks(dataDir, opened.generation)),
  ]
}
