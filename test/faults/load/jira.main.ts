// A slow Jira that loses answers, in a process of its own, so that its work is not part of what is measured. Node runs
// this file as it is; it needs --experimental-transform-types.
import '../../support/typescript.mjs';
import type { StormyJira } from '../../support/itsm/stormy-jira.js';

export type { StormFigures, StormyAccount } from '../../support/itsm/stormy-jira.js';

const { stormyJira } = await import('../../support/itsm/stormy-jira.js');
const commands = stormyJira();

process.on('message', message => {
  // What startHelper sends.
  const { number, command, argument } = message as { number: number; command: keyof StormyJira; argument: never };
  const carriedOut: unknown = commands[command](argument);
  void Promise.resolve(carriedOut).then(result => process.send?.({ number, result }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
