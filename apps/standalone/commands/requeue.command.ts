import { Command } from 'commander';
import { TasksAside } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `requeue`: has background work tried again that was put aside. */
export function requeueCommand(): Command {
  return new Command('requeue')
    .description('try again what was put aside, once its cause is mended; doctor names it')
    .option('--lane <name>', 'only this kind of work, such as webhook, webhook-recovery, listener or offboarding')
    .option(...JSON_OPTION)
    .action(async (options: { lane?: string; json?: boolean }) => {
      await withGovernance(async app => {
        const requeued = await app.get(TasksAside).retry(options.lane);
        const lines = Object.entries(requeued).map(([lane, count]) => `${lane}: ${count} are tried again`);
        print(options.json, { requeued }, lines.length > 0 ? lines : ['nothing was put aside']);
      });
    });
}
