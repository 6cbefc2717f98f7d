import { Command } from 'commander'
import { version } from '#base/version.ts'
import { addAccountCommands } from './account-commands.ts'
import { addBackupCommands } from './backup.ts'
import { addBootstrapCommand } from './bootstrap.ts'
import { addGenerationCommands } from './generation-commands.ts'
import { addInspectionCommands } from './inspection-commands.ts'
import { addMarketCommands } from './market-commands.ts'
import type { ProcessContext } from './process-context.ts'
import { addServiceCommands, addToolCommand } from './service-commands.ts'
import { addStoreCommands } from './store-commands.ts'
import { addUpdateCommands } from './update-commands.ts'
import { addWalletCommands } from './wallet-commands.ts'

/**
 * All commands in the order of `--help`. `setExitCode` receives the code of a command without
 * error. Commands import() what only they need: the server and computations load longer than most
 * commands run.
 */
export function createProgram(context: ProcessContext, setExitCode: (code: number) => void): Command {
  const { stdout, stderr } = context
  const program = new Command('coinstrata')
    .description('Bitcoin on-chain analytics that anyone with a full node can run')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('(see --help)')
  addServiceCommands(program, context, setExitCode)
  addUpdateCommands(program, context)
  addInspectionCommands(program, context, setExitCode)
  addMarketCommands(program, context)
  addToolCommand(program, context)
  addGenerationCommands(program, context)
  addStoreCommands(program, context)
  addBootstrapCommand(program, context)
  addBackupCommands(program, context)
  addAccountCommands(program, context)
  addWalletCommands(program, context)
  return program
}
