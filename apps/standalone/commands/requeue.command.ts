import { Command } from 'commander';
import { DeadLetters } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `requeue`: retries dead-lettered background jobs. */
export function requeueCommand(): Command {
  return new Command('requeue')
    .description('try again what was dead-lettered, once its cause is mended; doctor names it')
    .option('--queue <name>', 'only this kind of work, such as webhook, webhook-recovery, listener or offboarding')
    .option(...JSON_OPTION)
    .action(async (options: { queue?: string; json?: boolean }) => {
      await withGovernance(async app => {
        const requeued = await app.get(DeadLetters).retry(options.queue);
        const lines = Object.entries(requeued).map(([queue, count]) => `${queue}: ${count} are tried again`);
        print(options.json, { requeued }, lines.length > 0 ? lines : ['nothing was dead-lettered']);
      });
    });
}
