import { ConsoleLogger } from '@nestjs/common';

/** Context under which security events are written. */
const SECURITY = 'GovernanceSecurity';

/** Prints warnings and worse; of what goes well, only security events, such as a sign-in. */
export class AppLogger extends ConsoleLogger {
  constructor() {
    super({ logLevels: ['log', 'warn', 'error', 'fatal'] });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    // A more talkative logger prints the rest, too.
    if (rest.at(-1) === SECURITY || this.isLevelEnabled('verbose')) super.log(message, ...rest);
  }
}
