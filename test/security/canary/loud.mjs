// Loaded before the app: every level of every Nest logger is written, whatever the app asks for. The app's bundle has a
// logger of its own, so the app is loaded from its own files.
import { registerHooks } from 'node:module';
import { ConsoleLogger, Logger } from '@nestjs/common';

registerHooks({
  resolve: (specifier, context, next) => next(specifier.replace(/\/bundle\/(?=(server|run-cli)\.js$)/, '/'), context),
});

ConsoleLogger.prototype.isLevelEnabled = () => true;
process.once('beforeExit', () => Logger.flush());
