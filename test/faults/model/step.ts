import type fc from 'fast-check';
import type { History } from './history.js';
import type { Model, ModelWebhook } from './model.js';

/** A step of a history. */
export type Command = fc.AsyncCommand<Model, History>;

/** Creates a command from its parts. The report of a failure contains its name. */
export function step(
  name: string,
  isPossible: (model: Model) => boolean,
  run: (history: History, model: Model) => Promise<void>,
): Command {
  return { check: isPossible, run: (model, history) => run(history, model), toString: () => name };
}

/** A command that needs an existing subject at the time when it runs. */
export function stepOn<T>(
  name: string,
  choose: (model: Model) => T | undefined,
  run: (history: History, chosen: T) => Promise<void>,
): Command {
  return step(
    name,
    model => choose(model) !== undefined,
    async (history, model) => {
      const chosen = choose(model);
      if (chosen !== undefined) await run(history, chosen);
    },
  );
}

/** A command about a webhook that exists at the time when the command runs. */
export function stepOf(
  name: string,
  nth: number,
  run: (history: History, webhook: ModelWebhook) => Promise<void>,
): Command {
  return stepOn(`${name}(webhook ${nth})`, ({ living }) => living[nth % living.length], run);
}
