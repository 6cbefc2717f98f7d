import cluster from 'node:cluster'
import type { Command } from 'commander'
import { refuseOtherFormat } from '#compute/data-folder.ts'
import { readableGeneration } from '#sql/generation.ts'
import {
  computeFlags,
  defineCommand,
  flags,
  logFlags,
  pullFlags,
  serverFlags,
  sourceFlags,
  workerFlags,
} from './flags.ts'
import type { ProcessContext } from './process-context.ts'

export function addServiceCommands(
  program: Command,
  context: ProcessContext,
  setExitCode: (code: number) => void,
): void {
  defineCommand(
    program.command('start').description('update if needed, then serve the published data and keep it up to date'),
    [...flags, ...sourceFlags, ...computeFlags, ...serverFlags],
    context.environment,
    async (settings) => {
      refuseOtherFormat(settings.DATA_DIR)
      const published = readableGeneration(settings.DATA_DIR) !== undefined
      const { serve } = await import('#root/cli/serve.ts')
      setExitCode(await serve(settings, published ? 'keep up to date' : 'publish first', context))
    },
  )
  defineCommand(
    program.command('serve').description('serve the published data without changing it; another process updates it'),
    [...flags, ...serverFlags, ...pullFlags, ...workerFlags],
    context.environment,
    async (settings) => {
      refuseOtherFormat(settings.DATA_DIR)
      if (settings.WORKERS > 1 && cluster.isPrimary) {
        const { serveByWorkers } = await import('#root/cli/worker-pool.ts')
        setExitCode(await serveByWorkers(settings, context))
        return
      }
      const { serve } = await import('#root/cli/serve.ts')
      await serve(settings, 'only serve', context)
    },
  )
}

export function addToolCommand(program: Command, context: ProcessContext): void {
  defineCommand(
    program
      .command('mcp')
      .description('serve tools for AI assistants over standard input and output')
      .option('--http', 'serve over HTTP instead, on a separate port (MCP_PORT, default 3001)'),
    logFlags,
    context.environment,
    async (settings, { http = false }: { http?: boolean }) => {
      const { runMcp } = await import('#root/cli/mcp.ts')
      await runMcp(settings, http, context)
    },
  )
}
