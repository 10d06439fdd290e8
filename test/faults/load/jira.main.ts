// A slow Jira that loses answers, in a separate process, so that its work is not measured. Node runs this file without
// a build; it needs --experimental-transform-types.
import '../../support/typescript.mjs';
import type { UnreliableJira } from '../../support/itsm/unreliable-jira.js';

export type { JiraFigures, JiraAccount } from '../../support/itsm/unreliable-jira.js';

const { unreliableJira } = await import('../../support/itsm/unreliable-jira.js');
const commands = unreliableJira();

process.on('message', message => {
  // The parent sends commands in the format of startHelper.
  const { number, command, argument } = message as { number: number; command: keyof UnreliableJira; argument: never };
  const carriedOut: unknown = commands[command](argument);
  void Promise.resolve(carriedOut).then(result => process.send?.({ number, result }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
