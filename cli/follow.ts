import type { Command } from 'commander'
import { flags, sourceFlags, withSettings } from './flags.ts'
import { outputOf } from './output.ts'
import { recordRun } from './recorded-run.ts'
import { updateSettings } from './steps.ts'
import type { Surroundings } from './surroundings.ts'

export function addFollowCommand(program: Command, surroundings: Surroundings): void {
  const { environment } = surroundings
  withSettings(
    program
      .command('follow')
      .description('publish the open day after each block of the node, until stopped; "start" does it with FOLLOW=on'),
    [...flags, ...sourceFlags],
    environment,
    async (settings) => {
      const { follow } = await import('#compute/follow.ts')
      const output = outputOf(settings, surroundings)
      const { log } = output
      await recordRun(settings.DATA_DIR, 'follow', output, async () => ({
        message: await follow(updateSettings(settings, environment), {
          published: ({ date, tip, blocks, milliseconds }) => {
            const figures = { height: tip.height, hash: tip.hash, date, blocks, milliseconds: Math.round(milliseconds) }
            log.info(figures, `${date} so far: ${blocks} blocks, the newest is ${tip.height}`)
          },
          waiting: ({ code, message, cure }, milliseconds) => {
            log.warn({ code, cure, milliseconds }, `cannot follow the node: ${message}; trying again`)
          },
        }),
      }))
    },
  )
}
