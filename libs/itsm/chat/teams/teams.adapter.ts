import { Injectable } from '@nestjs/common';
import { NotifyingChat } from '../notifying-chat.js';
import { TeamsNotifier } from './teams-notifier.js';

/** The name by which the operator knows the channel of the workflow. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,98}[\p{L}\p{N}]$/u;

/** Adapter for notifications in Microsoft Teams. Commands and command buttons would need a bot. */
@Injectable()
export class TeamsAdapter extends NotifyingChat {
  readonly kind = 'teams';
  readonly title = 'Microsoft Teams';
  override readonly notifier = new TeamsNotifier();

  isWorkspace(text: string): boolean {
    return NAME.test(text);
  }
}
