import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refuseAnnounced } from '../../announced-size.js';

/** Maximum size of a command request, in bytes. */
export const COMMAND_MAX_BYTES = 16 * 1024;

/** Maximum size of a request for a pressed button, in bytes. It repeats the message, so it is larger. */
export const PRESS_MAX_BYTES = 64 * 1024;

/** Refuses requests that are too large, before any byte of the body is read. */
@Injectable()
export class ChatSizeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    refuseAnnounced(context, COMMAND_MAX_BYTES);
    return true;
  }
}

/** The same for pressed buttons. */
@Injectable()
export class PressSizeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    refuseAnnounced(context, PRESS_MAX_BYTES);
    return true;
  }
}
