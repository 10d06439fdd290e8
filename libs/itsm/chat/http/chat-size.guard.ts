import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refuseAnnounced } from '../../announced-size.js';

/** Maximum size of a command request, in bytes. */
export const COMMAND_MAX_BYTES = 16 * 1024;

/**
 * Maximum size of the request for a pressed button, in bytes. It is larger, because the request contains the message of
 * the button.
 */
export const PRESS_MAX_BYTES = 64 * 1024;

/** Refuses requests that are too large, before any byte of the body is read. */
@Injectable()
export class ChatSizeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    refuseAnnounced(context, COMMAND_MAX_BYTES);
    return true;
  }
}

/** Refuses requests for pressed buttons that are too large, before any byte of the body is read. */
@Injectable()
export class PressSizeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    refuseAnnounced(context, PRESS_MAX_BYTES);
    return true;
  }
}
