import fc from 'fast-check';
import { recover, retry } from './retry-commands.js';
import { COMMANDS_MAX } from './settings.js';
import { dyingWorker, elapse, release, untilDue } from './time-commands.js';
import { behave, fire, pause, register, remove, resume, rotate } from './webhook-commands.js';

/** Random histories. Important commands are more frequent. */
export const histories = fc.commands(
  [
    ...[fire, fire, fire, fire, behave, behave, behave],
    ...[untilDue, untilDue, untilDue, untilDue, elapse, elapse],
    ...[register, register, pause, resume, resume, remove, rotate],
    ...[retry, retry, recover, recover, dyingWorker, release],
  ],
  { maxCommands: COMMANDS_MAX, size: 'max' },
);
