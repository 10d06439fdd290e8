// Loaded before the app: every level of every Nest logger is written, whatever the app asks for.
import { ConsoleLogger, Logger } from '@nestjs/common';

ConsoleLogger.prototype.isLevelEnabled = () => true;
process.once('beforeExit', () => Logger.flush());
