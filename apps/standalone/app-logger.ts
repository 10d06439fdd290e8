import { ConsoleLogger, type LogLevel } from '@nestjs/common';

/** Context under which security events are written. */
const SECURITY = 'GovernanceSecurity';

/** Control characters and ends of lines on which a terminal or a reader of lines may act, except `\n` and the tabulator. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\u2028\u2029]/gu;

/** Prints warnings and worse; of what goes well, only security events, such as a sign-in. */
export class AppLogger extends ConsoleLogger {
  constructor() {
    super({ logLevels: ['log', 'warn', 'error', 'fatal'] });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    // A more talkative logger prints the rest, too.
    if (rest.at(-1) === SECURITY || this.isLevelEnabled('verbose')) super.log(message, ...rest);
  }

  /** The message of an error may repeat what somebody sent: it must not act on the operator's terminal. */
  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    return super.stringifyMessage(typeof message === 'string' ? printable(message) : message, level);
  }
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
