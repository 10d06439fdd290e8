import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refuseAnnounced } from '../../announced-size.js';

/** Largest request of a chat platform, in bytes. */
export const COMMAND_MAX_BYTES = 16 * 1024;

/** Largest report of a pressed button, in bytes: it repeats the message. */
export const PRESS_MAX_BYTES = 64 * 1024;

/** Refuses large requests before a byte of them is read. */
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
