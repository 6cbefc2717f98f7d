import type { Command } from 'commander'
import { follow } from '#compute/follow.ts'
import { createLogger } from '#root/log.ts'
import { flags, settingsOf, sourceFlags, withFlags } from './flags.ts'
import { recordRun } from './recorded-run.ts'
import { updateSettings } from './steps.ts'
import type { Surroundings } from './surroundings.ts'

export function addFollowCommand(program: Command, { environment, stderr }: Surroundings): void {
  const taken = [...flags, ...sourceFlags]
  withFlags(
    program
      .command('follow')
      .description('publish the open day after each block of the node, until stopped; "start" does it with FOLLOW=on'),
    taken,
  ).action(async (_, command: Command) => {
    const settings = settingsOf(command, taken, environment)
    const log = createLogger(settings.LOG_LEVEL, stderr)
    await recordRun(settings.DATA_DIR, 'follow', () =>
      follow(updateSettings(settings, environment), {
        published: ({ date, tip, blocks, milliseconds }) => {
          const figures = { height: tip.height, hash: tip.hash, date, blocks, milliseconds: Math.round(milliseconds) }
          log.info(figures, `${date} so far: ${blocks} blocks, the newest is ${tip.height}`)
        },
        waiting: ({ code, message, cure }, milliseconds) => {
          log.warn({ code, cure, milliseconds }, `cannot follow the node: ${message}; trying again`)
        },
      }),
    )
  })
}
