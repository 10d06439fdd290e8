// Preloaded before the app. Writes every level of every Nest logger, whatever the app configures. The app's bundle
// contains another logger, so the app is loaded from its own files.
import { registerHooks } from 'node:module';
import { ConsoleLogger, Logger } from '@nestjs/common';

registerHooks({
  resolve: (specifier, context, next) => next(specifier.replace(/\/bundle\/(?=(server|run-cli)\.js$)/, '/'), context),
});

ConsoleLogger.prototype.isLevelEnabled = () => true;
process.once('beforeExit', () => Logger.flush());
