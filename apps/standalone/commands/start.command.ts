import { Command } from 'commander';

/** `start`: the server. It is also the default command. */
export function startCommand(): Command {
  return new Command('start').description('start the server (the default)').action(async () => {
    await import('../main.js');
  });
}
