import { Command } from 'commander';
import { anomaliesCommand } from './commands/anomalies.command.js';
import { auditCommand } from './commands/audit.command.js';
import { applyCommand, exportCommand } from './commands/configuration.command.js';
import { doctorCommand } from './commands/doctor.command.js';
import { importCommand } from './commands/import.command.js';
import { migrateCommand } from './commands/migrate.command.js';
import { orgCommand } from './commands/org.command.js';
import { requeueCommand } from './commands/requeue.command.js';
import { rewrapCommand } from './commands/rewrap.command.js';
import { startCommand } from './commands/start.command.js';
import { tokenCommand } from './commands/token.command.js';
import { uninstallCommand } from './commands/uninstall.command.js';
import { VERSION } from './version.js';

/**
 * Runs the command that the arguments name, with the variables of the environment. Prints its result, or one line on
 * standard error. Sets the exit code of the process. An unknown command or option ends the process.
 */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const program = new Command('nest-llm-governance')
    .description('Governs how the people of an organization use LLM providers.')
    .version(VERSION, '--version', 'print the version')
    .showHelpAfterError('(--help lists commands and options)')
    .addCommand(startCommand(), { isDefault: true })
    .addCommand(migrateCommand())
    .addCommand(orgCommand())
    .addCommand(tokenCommand())
    .addCommand(exportCommand())
    .addCommand(applyCommand())
    .addCommand(importCommand())
    .addCommand(auditCommand())
    .addCommand(anomaliesCommand())
    .addCommand(rewrapCommand())
    .addCommand(requeueCommand())
    .addCommand(doctorCommand())
    .addCommand(uninstallCommand());
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
