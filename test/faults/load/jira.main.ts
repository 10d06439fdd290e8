// A slow Jira that loses answers, in a separate process, so that its work is not measured. Node runs this file without
// a build; it needs --experimental-transform-types.
import '../../support/typescript.mjs';
import type { StormyJira } from '../../support/itsm/stormy-jira.js';

export type { StormFigures, StormyAccount } from '../../support/itsm/stormy-jira.js';

const { stormyJira } = await import('../../support/itsm/stormy-jira.js');
const commands = stormyJira();

process.on('message', message => {
  // The commands of startHelper.
  const { number, command, argument } = message as { number: number; command: keyof StormyJira; argument: never };
  const carriedOut: unknown = commands[command](argument);
  void Promise.resolve(carriedOut).then(result => process.send?.({ number, result }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
